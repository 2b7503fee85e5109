"""Child processes with limits, for work on untrusted bytes.

The parent has a `ConfinedPool`; the child's module calls `confine` and then `serve`. This package imports nothing, so
that a child stays small.
"""
