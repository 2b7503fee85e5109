"""Secrets in texts: finding and redacting them."""

from echomind_lib.secret_text.detection import REDACTED, redacted, redacted_tree, secret_in

__all__ = ["REDACTED", "redacted", "redacted_tree", "secret_in"]
