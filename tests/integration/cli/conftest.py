"""What the tests of the command line as a process share."""

from tests.drivers.shell import api, shell

__all__ = ["api", "shell"]
