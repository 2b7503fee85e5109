"""The runtime of a service process: connections, signals, health, and its membership among the workers."""

from echomind_lib.runtime.membership import Membership
from echomind_lib.runtime.process import Connections, connect, run_until_stopped

__all__ = ["Connections", "Membership", "connect", "run_until_stopped"]
