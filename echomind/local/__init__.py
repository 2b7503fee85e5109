"""`echomind up`: the data folder, the supervisor and the embedded servers of one machine."""
