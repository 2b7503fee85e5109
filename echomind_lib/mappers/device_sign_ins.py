"""Sign-ins of devices by a code."""

from typing import Any

from echomind_lib.models.public import DeviceSignIn


def to_model(row: Any) -> DeviceSignIn:
    """Returns the sign-in of a row, without its codes."""
    return DeviceSignIn.from_row(row)
