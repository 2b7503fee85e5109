"""Transports written by hand. They translate and call the same service objects as the contract's routes."""
