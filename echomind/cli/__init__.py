"""The commands of the command line, one module a noun or verb. Heavy imports happen inside the commands."""
