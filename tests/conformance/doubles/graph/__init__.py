"""Microsoft 365 for tests: an organisation in memory, behind the HTTP interface of Microsoft Graph."""
