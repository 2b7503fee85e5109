"""Events of a run's status."""

from echomind_lib.runs.states import status_event


def test_a_status_names_an_attempt_only_where_one_is_at_work() -> None:
    assert not status_event("queued", "Queued").status.HasField("attempt")
    assert status_event("paused", "Paused", attempt=2).status.attempt == 2
