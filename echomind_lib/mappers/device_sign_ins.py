"""Sign-ins of devices by a code."""

from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.models.public import DeviceSignIn

ROW: Final = rows.DeviceSignIn
MODEL: Final = DeviceSignIn
INTERNAL: Final = {
    "device_code_hash": "proves the program",
    "user_code_hash": "finds it by what a person types",
    "network": "limits how many wait",
    "interval_seconds": "how often the program may poll, which it is told when it does",
    "polled_at": "decides whether a poll comes too early",
    "approved": "what the program learns when it polls",
    "user_id": "who decided, and whose API key it gets",
}
DERIVED: Final[dict[str, str]] = {}


def to_model(row: Any) -> DeviceSignIn:
    """Returns the sign-in of a row, without its codes."""
    return DeviceSignIn.from_row(row)
