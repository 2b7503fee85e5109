"""Google Drive as a source."""
