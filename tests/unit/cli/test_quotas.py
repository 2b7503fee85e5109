"""`echomind quotas`: what is done at a time has quotas of its own."""

from tests.drivers.api_server import ApiServer
from tests.drivers.shell import Shell


def test_what_is_done_at_a_time_makes_a_quota_of_its_own(api: ApiServer, shell: Shell) -> None:
    made = {"id": 4, "scope": "QUOTA_SCOPE_ORGANIZATION", "period": "QUOTA_PERIOD_MINUTE", "maxConcurrentRuns": 40}
    api.on("QuotaService/CreateQuota", made)
    assert shell.run("quotas", "add", "--runs", "40").stdout == "Added quota 4: everybody together, each minute.\n"
    assert api.calls[-1].body == {
        "scope": "QUOTA_SCOPE_ORGANIZATION",
        "period": "QUOTA_PERIOD_MINUTE",
        "maxConcurrentRuns": 40,
    }
    api.on("QuotaService/CreateQuota", made | {"period": "QUOTA_PERIOD_MONTH"})
    shell.run("quotas", "add", "--tokens", "40")
    assert api.calls[-1].body["period"] == "QUOTA_PERIOD_MONTH"


def test_the_use_of_what_is_done_at_a_time_is_shown(api: ApiServer, shell: Shell) -> None:
    used = {
        "scope": "QUOTA_SCOPE_GROUP",
        "groupName": "research",
        "period": "QUOTA_PERIOD_MINUTE",
        "maxConcurrentRuns": 40,
        "concurrentRuns": 3,
        "maxRequestsPerMinute": 6000,
        "renewsAt": "2026-11-28T10:01:00Z",
    }
    api.on("QuotaService/ListQuotaUsage", {"usage": [used]})
    shown = shell.run("quotas", "usage").stdout
    for text in ("group research together", "minute", "3 of 40", "0 of 6,000"):
        assert text in shown
