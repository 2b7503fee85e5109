"""Containers as a cluster or a compose file runs them: pods, their network, and the servers beside them."""
