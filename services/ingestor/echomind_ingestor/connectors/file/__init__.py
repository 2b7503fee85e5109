"""The files of a folder of the server."""
