"""Sign-in: who calls, by which credential, and whether a browser's write is the page's own."""
