"""What other programs bring."""
