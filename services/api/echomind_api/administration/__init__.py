"""Administration: settings and reports."""
