"""`echomind connectors`: types, settings, syncs and confirmations."""

import json
from pathlib import Path
from typing import Any

import pytest

from echomind.cli.sources import connector_syncs
from tests.drivers.api_server import ApiServer, Call, about, refusal
from tests.drivers.shell import Shell


def field(name: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "kind": f"SETTING_KIND_{kind}", **more}


STORE = {
    "name": "store",
    "title": "Store",
    "description": "Buckets.",
    "permissionModes": ["PERMISSION_MODE_SCOPE"],
    "settings": [
        field("bucket", "TEXT", required=True, description="Its name.", example="contracts"),
        field("include", "LIST", example='["*.pdf","a/**"]'),
        field("service", "CHOICE", choices=["s3", "gcs"], defaultValue="s3"),
        field("depth", "INTEGER", defaultValue=3),
        field("pause", "NUMBER"),
        field("hidden", "BOOLEAN"),
        field("proxy", "GROUP", fields=[field("host", "TEXT"), field("port", "INTEGER")]),
    ],
    "credentials": [field("s3", "GROUP", fields=[field("access_key", "TEXT"), field("secret_key", "SECRET")])],
}
NOW = "2026-01-31T12:00:00Z"
SYNC = {"id": "9", "connectorId": 4, "status": "SYNC_STATUS_RUNNING", "kind": "SYNC_KIND_FULL", "documentsSeen": 2}
CONTRACTS = {
    "id": 4,
    "name": "Contracts",
    "typeName": "store",
    "scope": "SCOPE_ORG",
    "permissionMode": "PERMISSION_MODE_SCOPE",
    "config": {"bucket": "contracts", "depth": 3.0, "proxy": {"host": "proxy", "port": 3128}},
    "refreshFreqMinutes": 30,
    "hasCredentials": True,
    "sync": SYNC | {"status": "SYNC_STATUS_COMPLETED", "documentsAdded": 2},
}
WAITING = SYNC | {"status": "SYNC_STATUS_WAITING_FOR_CONFIRMATION", "toRemove": 2}


@pytest.fixture(autouse=True)
def contracts(api: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connector_syncs, "_FIRST_POLL_SECONDS", 0.001)
    api.on("ConnectorService/ListConnectorTypes", {"types": [STORE]})
    api.on("ConnectorService/ListConnectors", {"connectors": [CONTRACTS]})
    api.on(
        "ConnectorService/CreateConnector", lambda call: call.body | {"id": 5, "credentials": None, "nextSyncAt": NOW}
    )
    api.on(about("ConnectorService/UpdateConnector", id=4), lambda call: CONTRACTS | call.body | {"credentials": None})


def body(api: ApiServer, method: str) -> Any:
    (call,) = api.sent(method)
    return call.body


def follow(api: ApiServer, *states: dict[str, Any]) -> None:
    """Answers the request of a sync, then each look at it with the next state."""
    left = list(states)
    api.on(about("ConnectorSyncService/SyncConnector", id=4), SYNC | {"status": "SYNC_STATUS_PENDING"})
    api.on(about("ConnectorSyncService/GetConnectorSync", id=9), lambda call: SYNC | left.pop(0))


def test_types_are_listed_and_one_is_shown_with_its_settings(shell: Shell) -> None:
    assert shell.run("connectors", "types").stdout.splitlines()[1].split() == ["store", "Store", "Buckets.", "yes"]
    lines = [line.split() for line in shell.run("connectors", "types", "store").stdout.splitlines()]
    assert ["bucket", "text", "required", "Its", "name.", "Example:", "contracts"] in lines
    assert ["service", "s3|gcs", "s3"] in lines
    assert ["include", "list", "Example:", "*.pdf,", "a/**"] in lines
    assert ["depth", "integer", "3"] in lines
    assert ["proxy.port", "integer"] in lines
    assert ["s3.secret_key", "secret"] in lines
    assert [each["name"] for each in shell.json("connectors", "types")["types"]] == ["store"]
    assert shell.json("connectors", "types", "store")["title"] == "Store"
    assert "There is no connector type 'shop'. Known: store." in shell.run("connectors", "types", "shop", code=1).stderr


def test_a_connector_is_added_with_typed_settings_and_credentials(api: ApiServer, shell: Shell, tmp_path: Path) -> None:
    secrets = tmp_path / "secrets.json"
    secrets.write_text(json.dumps({"s3": {"access_key": "a", "secret_key": "s"}}))
    pairs = ("bucket=a=b", "include=*.pdf", "include=x,y", "depth=5", "pause=0.5", "hidden=yes", "service=gcs")
    settings = [word for pair in (*pairs, "proxy.port=1") for word in ("--set", pair)]
    options = ("--credentials-file", str(secrets), "--permission-mode", "source", "--refresh", "60", "--scope", "org")
    result = shell.run("connectors", "add", "X", "--type", "store", *settings, *options)
    assert result.stdout == "Added X (id 5), visible to everyone.\n"
    assert "connectors sync 5 --wait` waits for that" in result.stderr
    assert body(api, "ConnectorService/CreateConnector") == {
        "name": "X",
        "typeName": "store",
        "scope": "SCOPE_ORG",
        "scopeId": "",
        "permissionMode": "PERMISSION_MODE_SOURCE",
        "refreshFreqMinutes": 60,
        "credentials": {"s3": {"access_key": "a", "secret_key": "s"}},
        "config": {
            "bucket": "a=b",
            "include": ["*.pdf", "x,y"],
            "depth": 5,
            "pause": 0.5,
            "hidden": True,
            "service": "gcs",
            "proxy": {"port": 1},
        },
    }


def test_a_connector_without_credentials_reports_what_is_missing(api: ApiServer, shell: Shell) -> None:
    api.on(
        "ConnectorService/CreateConnector", CONTRACTS | {"id": 5, "sync": None, "statusMessage": "Connect it first."}
    )
    error = shell.run("connectors", "add", "X", "--type", "store", "--set", "bucket=b").stderr
    assert "Connect it first." in error
    assert "connectors sign-in 5`" in error


def test_without_a_type_a_connector_is_for_uploads(api: ApiServer, shell: Shell) -> None:
    assert shell.json("connectors", "add", "Rules")["id"] == "5"
    assert body(api, "ConnectorService/CreateConnector")["type"] == "CONNECTOR_TYPE_FILE"
    assert "Settings need a type" in shell.run("connectors", "add", "Rules", "--refresh", "5", code=1).stderr


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (["buckets=x"], "no setting 'buckets'. Known: bucket, include, service, depth, pause, hidden, proxy.host"),
        (["depth=5"], "The type store needs bucket: give each with --set KEY=VALUE."),
        (["proxy=x"], "There is no setting 'proxy'."),
        (["bucket"], "--set 'bucket' has no value"),
        (["bucket=x", "bucket=y"], "bucket is given twice"),
        (["service=ftp"], "service: 'ftp' is not one of s3, gcs."),
        (["depth=1.5"], "depth: '1.5' must be a whole number."),
        (["pause=x"], "pause: 'x' must be a number."),
        (["hidden=maybe"], "hidden: 'maybe' must be yes or no."),
    ],
)
def test_a_setting_that_does_not_fit_is_explained(api: ApiServer, shell: Shell, pairs: list[str], message: str) -> None:
    settings = [word for pair in pairs for word in ("--set", pair)]
    assert message in shell.run("connectors", "add", "X", "--type", "store", *settings, code=1).stderr
    assert not api.changes()


def test_credentials_that_cannot_be_read_are_refused_without_repeating_them(shell: Shell, tmp_path: Path) -> None:
    secrets = tmp_path / "secrets.json"
    for text, message in (("secret-1", "is no JSON"), ('["secret-1"]', "must hold one JSON object")):
        secrets.write_text(text)
        error = shell.run("connectors", "update", "4", "--credentials-file", str(secrets), code=1).stderr
        assert message in error
        assert "secret-1" not in error
    missing = str(tmp_path / "none.json")
    assert "cannot be read" in shell.run("connectors", "update", "4", "--credentials-file", missing, code=1).stderr


def test_of_settings_only_those_that_are_given_change(api: ApiServer, shell: Shell) -> None:
    settings = ("--set", "depth=", "--set", "proxy.port=", "--set", "include=*.pdf")
    shell.run("connectors", "update", "Contracts", *settings)
    assert body(api, "ConnectorService/UpdateConnector") == {
        "config": {"bucket": "contracts", "proxy": {"host": "proxy"}, "include": ["*.pdf"]}
    }


def test_a_group_without_values_is_removed_and_credentials_come_from_standard_input(
    api: ApiServer, shell: Shell
) -> None:
    settings = ("--set", "proxy.port=", "--set", "proxy.host=")
    shell.run("connectors", "update", "Contracts", *settings, "--credentials-file", "-", typed="{}")
    assert body(api, "ConnectorService/UpdateConnector") == {
        "config": {"bucket": "contracts", "depth": 3},
        "credentials": {},
    }


def test_a_connector_is_shown_with_its_settings_and_its_newest_sync(shell: Shell) -> None:
    lines = shell.run("connectors", "show", "Contracts").stdout.splitlines()
    for line in (
        "Type: store",
        "Setting: depth=3",
        "Setting: proxy.port=3128",
        "Credentials: stored",
        "Synced: every 30 minutes",
        "Newest sync: 9, completed, 2 seen, 2 added",
    ):
        assert line in lines


def test_a_failed_check_is_exit_code_1(api: ApiServer, shell: Shell) -> None:
    passed = {"name": "List files", "status": "CHECK_STATUS_PASSED"}
    doubtful = {"name": "List groups", "status": "CHECK_STATUS_WARNING", "message": "Grant a right."}
    failed = {"name": "Sign in", "status": "CHECK_STATUS_FAILED", "message": "The key is wrong."}
    api.on("ConnectorService/TestConnector", {"checks": [passed, doubtful]})
    assert "Grant a right." in shell.run("connectors", "test", "Contracts").stdout
    assert body(api, "ConnectorService/TestConnector")["id"] == 4
    api.on("ConnectorService/TestConnector", {"checks": [failed, passed]})
    assert "The key is wrong." in shell.run("connectors", "test", "Contracts", code=1).stdout
    assert len(shell.json("connectors", "test", "Contracts", code=1)["checks"]) == 2


def test_the_address_of_a_sign_in_is_printed_alone_on_standard_output(api: ApiServer, shell: Shell) -> None:
    api.on(about("ConnectorService/StartConnectorSignIn", id=4), {"url": "http://x/connectors/4"})
    assert shell.run("connectors", "sign-in", "Contracts").stdout == "http://x/connectors/4\n"


def test_a_sync_is_requested_and_not_waited_for(api: ApiServer, shell: Shell) -> None:
    follow(api)
    assert shell.run("connectors", "sync", "Contracts", "--full").stdout == ("Sync 9 of Contracts: pending, 2 seen.\n")
    assert body(api, "ConnectorSyncService/SyncConnector")["full"] is True
    assert not api.sent("ConnectorSyncService/GetConnectorSync")


def test_a_sync_is_waited_for_to_its_end(api: ApiServer, shell: Shell) -> None:
    ended = {"status": "SYNC_STATUS_COMPLETED", "documentsSeen": 3, "documentsAdded": 1, "documentsFailed": 1}
    follow(api, {}, ended | {"failures": 1})
    result = shell.run("connectors", "sync", "Contracts", "--wait")
    assert result.stdout == "Sync 9 of Contracts: completed, 3 seen, 1 added, 1 failed.\n"
    assert "connectors failures 4` lists what could not be read" in result.stderr
    assert len(api.sent("ConnectorSyncService/GetConnectorSync")) == 2


@pytest.mark.parametrize("status", ["NEEDS_ATTENTION", "FAILED", "CANCELLED"])
def test_a_sync_that_did_not_complete_is_exit_code_1(api: ApiServer, shell: Shell, status: str) -> None:
    ended = {"status": f"SYNC_STATUS_{status}", "error": "The bucket does not exist."}
    follow(api, ended, ended)
    assert "The bucket does not exist." in shell.run("connectors", "sync", "Contracts", "--wait", code=1).stderr
    assert shell.json("connectors", "sync", "Contracts", "--wait", code=1)["id"] == "9"


def test_the_list_names_states_and_reasons(api: ApiServer, shell: Shell) -> None:
    reason = "The connected system has no documents, or none that the settings select: check them."
    attention = {"status": "CONNECTOR_STATUS_NEEDS_ATTENTION", "statusMessage": reason}
    api.on("ConnectorService/ListConnectors", {"connectors": [CONTRACTS | attention]})
    listed = shell.run("connectors", "list").stdout
    assert "needs attention" in listed
    assert reason in listed


def test_failures_are_those_of_the_newest_sync_that_has_some(api: ApiServer, shell: Shell) -> None:
    syncs = [SYNC, SYNC | {"id": "8", "failures": 1}, SYNC | {"id": "7", "failures": 2}]
    api.on(about("ConnectorSyncService/ListConnectorSyncs", connector_id=4), {"syncs": syncs})
    failures = [{"name": "Groups", "message": "They cannot be read."}]
    api.on(about("ConnectorSyncService/ListConnectorSyncFailures", id=8), {"failures": failures})
    assert "They cannot be read." in shell.run("connectors", "failures", "Contracts").stdout


def test_a_connector_whose_test_fails_is_added_only_when_confirmed(api: ApiServer, shell: Shell) -> None:
    checks = [{"name": "List", "status": "CHECK_STATUS_FAILED", "message": "The bucket does not exist."}]
    api.on("ConnectorService/TestConnector", {"checks": checks})
    add = ("connectors", "add", "X", "--type", "store", "--set", "bucket=b", "--test")
    refused = shell.run(*add, code=1)
    assert "The bucket does not exist." in refused.stdout
    assert "Add X although its test failed" in refused.stderr
    assert not api.sent("ConnectorService/CreateConnector")
    assert body(api, "ConnectorService/TestConnector")["config"] == {"bucket": "b"}
    assert "Added X (id 5)" in shell.run(*add, "--yes").stdout
    api.on("ConnectorService/TestConnector", {"checks": [checks[0] | {"status": "CHECK_STATUS_WARNING"}]})
    assert "Added X (id 5)" in shell.run(*add).stdout


def test_a_waiting_sync_prints_how_to_confirm_it(api: ApiServer, shell: Shell) -> None:
    follow(api, WAITING)
    result = shell.run("connectors", "sync", "Contracts", "--wait")
    assert "waiting for confirmation" in result.stdout
    assert "would remove 2 documents" in result.stderr
    assert "connectors confirm 4`" in result.stderr
    assert "connectors reject 4`" in result.stderr


def test_removals_of_a_sync_are_listed_before_confirmation(api: ApiServer, shell: Shell) -> None:
    api.on("ConnectorService/ListConnectors", {"connectors": [CONTRACTS | {"sync": WAITING}]})
    removals = [{"documentId": "7", "title": "Lease", "sourceId": "lease.pdf"}, {"documentId": "8"}]
    api.on(about("ConnectorSyncService/ListConnectorSyncRemovals", id=9), {"removals": removals})
    api.on(about("ConnectorSyncService/ConfirmConnectorSync", id=9), SYNC)
    refused = shell.run("connectors", "confirm", "Contracts", code=1)
    assert "Not confirmed: Remove 2 documents of Contracts." in refused.stderr
    assert refused.stdout.splitlines()[1].split() == ["7", "Lease", "lease.pdf"]
    assert "(not yours to read)" in refused.stdout
    assert not api.changes()
    assert shell.json("connectors", "confirm", "Contracts", "--yes")["id"] == "9"
    assert len(api.sent("ConnectorSyncService/ConfirmConnectorSync")) == 1


def test_a_waiting_sync_is_rejected_and_one_that_does_not_wait_is_neither(api: ApiServer, shell: Shell) -> None:
    for command in (("confirm", "Contracts", "--yes"), ("reject", "Contracts")):
        assert "No sync of Contracts waits" in shell.run("connectors", *command, code=1).stderr
    api.on("ConnectorService/ListConnectors", {"connectors": [CONTRACTS | {"sync": WAITING}]})
    api.on(about("ConnectorSyncService/RejectConnectorSync", id=9), SYNC | {"status": "SYNC_STATUS_CANCELLED"})
    assert "connectors resume 4` resumes it" in shell.run("connectors", "reject", "Contracts").stdout
    assert shell.json("connectors", "reject", "Contracts")["connectorId"] == "4"


def test_syncs_and_failures_are_listed(api: ApiServer, shell: Shell) -> None:
    failures = [
        {"name": "a.pdf", "message": "It is encrypted."},
        {"sourceId": "b", "message": "Too slow.", "isRetryable": True},
    ]
    api.on(about("ConnectorSyncService/ListConnectorSyncs", connector_id=4), {"syncs": [CONTRACTS["sync"]]})
    api.on("ConnectorSyncService/ListConnectorSyncFailures", {"failures": failures})
    assert "2 seen, 2 added" in shell.run("connectors", "syncs", "Contracts").stdout
    assert shell.json("connectors", "syncs", "Contracts")["syncs"][0]["id"] == "9"
    text = shell.run("connectors", "failures", "Contracts").stdout
    assert "It is encrypted." in text
    assert "tries again" in text
    shell.run("connectors", "failures", "Contracts", "--sync", "3")
    assert [call.fields["id"] for call in api.sent("ConnectorSyncService/ListConnectorSyncFailures")] == ["9", "3"]
    api.on("ConnectorService/ListConnectors", {"connectors": [CONTRACTS | {"sync": None}]})
    assert "has never been synced" in shell.run("connectors", "failures", "Contracts", code=1).stderr


@pytest.mark.parametrize("verb", ["pause", "resume", "enable", "disable"])
def test_the_state_of_a_connector_changes(api: ApiServer, shell: Shell, verb: str) -> None:
    api.on(about(f"ConnectorService/{verb.capitalize()}Connector", id=4), CONTRACTS)
    assert shell.run("connectors", verb, "Contracts").stdout == f"{verb.capitalize().rstrip('e')}ed Contracts (id 4).\n"
    assert shell.json("connectors", verb, "4")["id"] == "4"


def test_a_reason_is_sent_and_a_refusal_is_shown(api: ApiServer, shell: Shell) -> None:
    api.on(about("ConnectorService/DisableConnector", id=4), _disabled)
    shell.run("connectors", "disable", "Contracts", "--reason", "Under review.")
    assert body(api, "ConnectorService/DisableConnector")["reason"] == "Under review."
    api.on(
        about("ConnectorSyncService/CancelConnectorSync", id=4),
        refusal("CONNECTOR_STATE", "No sync waits or runs.", 400),
    )
    assert "No sync waits or runs. [CONNECTOR_STATE]" in shell.run("connectors", "cancel", "Contracts", code=1).stderr


def _disabled(call: Call) -> dict[str, Any]:
    return CONTRACTS | {"status": "CONNECTOR_STATUS_DISABLED", "statusMessage": call.body["reason"]}


def test_a_sign_in_is_taken_back(api: ApiServer, shell: Shell) -> None:
    account = {"id": 7, "connectorName": "Contracts", "provider": "Google", "account": "kim@example.org"}
    api.on("ConnectorService/ListConnectedAccounts", {"accounts": [account | {"scope": "SCOPE_USER"}]})
    api.on("ConnectorService/DisconnectAccount", {"isRevoked": True, "accessUrl": "https://google.example/access"})
    assert "kim@example.org" in shell.run("connectors", "accounts").stdout
    done = shell.run("connectors", "disconnect", "contracts", "--yes")
    assert done.stdout == "Disconnected kim@example.org from Contracts.\n"
    assert "Google has ended EchoMind's access" in done.stderr
    assert api.calls[-1].fields == {"id": "7"}
    api.on("ConnectorService/DisconnectAccount", {"accessUrl": "https://google.example/access"})
    assert "https://google.example/access" in shell.run("connectors", "disconnect", "7", "--yes").stderr
