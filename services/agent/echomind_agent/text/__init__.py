"""Text: sentences, shortening, delimiters, and what can be stored."""
