"""Places in the repository."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "test-results"
"""What a run leaves for people to look at."""
