"""The environment variables of the settings."""

from pydantic import BaseModel


def settings_of(section: type[BaseModel], prefix: str = "ECHOMIND_") -> set[str]:
    """Returns the variables of a section of settings."""
    names: set[str] = set()
    for name, field in section.model_fields.items():
        kind = field.annotation
        nested = isinstance(kind, type) and issubclass(kind, BaseModel)
        names |= settings_of(kind, f"{prefix}{name.upper()}__") if nested else {f"{prefix}{name.upper()}"}  # type: ignore[arg-type]
    return names
