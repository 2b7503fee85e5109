"""Child processes with limits, for work on untrusted bytes.

The parent uses a `ConfinedPool`; the child's module calls `confine`, then `serve`. This package imports nothing, so
that a child stays small.
"""
