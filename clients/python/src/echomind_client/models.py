"""The models and services of the API: `models.RunService.get_run`, `models.Run`."""

from typing import TYPE_CHECKING, Any

from echomind_lib.models import public

if TYPE_CHECKING:
    from echomind_lib.models.public import *  # noqa: F403

__all__ = public.__all__


def __getattr__(name: str) -> Any:
    return getattr(public, name)
