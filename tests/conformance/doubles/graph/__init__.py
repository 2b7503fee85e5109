"""Microsoft 365 for tests: an organization in memory, behind the HTTP interface of Microsoft Graph."""
