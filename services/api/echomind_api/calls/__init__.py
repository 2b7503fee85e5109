"""What goes around every call: authentication, limits, denials, errors, measurements."""
