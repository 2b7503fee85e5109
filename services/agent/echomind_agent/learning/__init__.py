"""Learning: the procedure of all kinds, models' proposals and their checks, similar known facts, and the jobs."""
