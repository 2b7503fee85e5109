"""Notebooks: sources that several people ask together."""

from echomind_api.notebooks.notebooks import Notebooks
from echomind_api.notebooks.removal import NotebookRemoval

__all__ = ["NotebookRemoval", "Notebooks"]
