"""Shared code of all kinds of learning: material, models' proposals, checks, and similar known facts."""
