"""A double of Google Drive and the Directory API, checked against Google's discovery documents."""
