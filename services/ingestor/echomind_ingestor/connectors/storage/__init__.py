"""Files in object stores and on WebDAV servers, through OpenDAL."""
