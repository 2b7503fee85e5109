"""Pages of web sites, found by sitemaps and links."""
