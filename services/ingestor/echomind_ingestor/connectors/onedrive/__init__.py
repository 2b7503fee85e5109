"""OneDrive for work or school, and SharePoint document libraries."""
