"""The command line and `echomind up`: embedded servers and the process supervisor."""
