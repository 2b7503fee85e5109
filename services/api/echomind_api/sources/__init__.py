"""Sources: connectors, their documents, and searching them."""
