"""The servers that `echomind up` runs on one machine.

They are real servers from wheels, on loopback, behind the same clients as a cluster: nothing outside this package and
the supervisor knows that a server is embedded.
"""
