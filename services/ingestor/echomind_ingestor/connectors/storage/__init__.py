"""Files in object stores and on WebDAV servers, by OpenDAL."""
