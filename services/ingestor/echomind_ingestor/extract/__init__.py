"""Files to text with headings and pages, in child processes with limits."""
