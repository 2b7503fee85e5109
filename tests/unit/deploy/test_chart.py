"""The Helm chart, rendered with the values of each case: valid manifests, and what every one of them must have."""

import re
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from echomind.backup.servers import are_external
from echomind_lib.config import Settings
from tests.drivers.chart import CHART, rendered, run_helm
from tests.drivers.tables import for_each
from tests.factories.variables import settings_of
from tests.paths import ROOT

CASES = sorted((CHART / "ci").glob("*.yaml"))
KUBERNETES = "1.37"
OTHERS = {
    "ScaledObject": {"scaleTargetRef", "triggers"},
    "PodMonitor": {"selector", "podMetricsEndpoints"},
    "PrometheusRule": {"groups"},
}
"""Kinds that Kubernetes does not have, with the required fields of their specifications."""
COMPONENTS = {"api", "agent", "ingestor", "embedding"}
SECRETS = ("_KEY", "PASSWORD", "CLIENT_SECRET", "POSTGRES__URL", "NATS__URL")
"""What the names of secrets contain."""
TRUST = "SSL_CERT_FILE"
"""OpenSSL's variable: a file with the certificates that are trusted."""


def pods(manifests: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Returns the specifications of pods by component."""
    found = [each["spec"]["template"] for each in manifests if each["kind"] in {"Deployment", "Job"}]
    return {pod["metadata"]["labels"]["app.kubernetes.io/component"]: pod["spec"] for pod in found}


def labels_of(manifests: list[dict[str, Any]]) -> dict[str, dict[str, str]]:
    """Returns the labels of the pods of Deployments by component."""
    found = [each["spec"]["template"]["metadata"]["labels"] for each in manifests if each["kind"] == "Deployment"]
    return {labels["app.kubernetes.io/component"]: labels for labels in found}


def test_the_chart_passes_helm_lint() -> None:
    done = run_helm("lint", "--strict", str(CHART), "--values", str(CASES[0]))
    assert done.returncode == 0, done.stdout + done.stderr


@for_each("case", CASES, ids=lambda case: str(case.stem))
def test_manifests_are_valid(case: Path) -> None:
    for manifest in rendered(case):
        if manifest["kind"] in OTHERS:
            assert OTHERS[manifest["kind"]] <= set(manifest["spec"])
            continue
        kubernetes_validate.validate(manifest, KUBERNETES, strict=True)


@for_each("case", CASES, ids=lambda case: str(case.stem))
def test_containers_may_do_nothing_that_they_need_not(case: Path) -> None:
    for component, pod in pods(rendered(case)).items():
        assert pod["securityContext"]["runAsNonRoot"], component
        assert pod["securityContext"]["runAsUser"] == 10001
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            security = container["securityContext"]
            assert security["readOnlyRootFilesystem"], component
            assert security["capabilities"] == {"drop": ["ALL"]}
            assert not security["allowPrivilegeEscalation"]
            assert container["resources"]["limits"]["memory"]
            assert not container["image"].endswith(":latest")


@for_each("case", CASES, ids=lambda case: str(case.stem))
def test_settings_exist_and_secrets_come_by_reference(case: Path) -> None:
    manifests = rendered(case)
    assert not [manifest for manifest in manifests if manifest["kind"] == "Secret"]
    known = settings_of(Settings)
    for component, pod in pods(manifests).items():
        (container,) = pod["containers"]
        names = [variable["name"] for variable in container["env"]]
        others = {TRUST} | ({"ECHOMIND_URL"} if component == "tools" else set())
        assert set(names) <= known | others, component
        assert len(names) == len(set(names)), component
        for variable in container["env"]:
            is_secret = any(word in variable["name"] for word in SECRETS)
            assert ("valueFrom" in variable) == is_secret, variable["name"]
            if is_secret:
                assert variable["valueFrom"]["secretKeyRef"]["name"] == "echomind"


def test_keys_of_media_servers_go_to_ingestors_alone() -> None:
    keys = {
        "ECHOMIND_TRANSCRIPTION__API_KEY": "transcription-api-key",
        "ECHOMIND_DESCRIPTION__API_KEY": "description-api-key",
    }
    for name, expected in (("media", keys), ("default", {})):
        for component, pod in pods(rendered(CHART / "ci" / f"{name}.yaml")).items():
            (container,) = pod["containers"]
            given = {
                variable["name"]: variable["valueFrom"]["secretKeyRef"]["key"]
                for variable in container["env"]
                if variable["name"] in keys
            }
            assert given == (expected if component == "ingestor" else {}), (name, component)


def test_other_secrets_go_where_settings_go() -> None:
    for component, pod in pods(rendered(CHART / "ci/signin.yaml")).items():
        (container,) = pod["containers"]
        keys = {
            variable["name"]: variable["valueFrom"]["secretKeyRef"]["key"]
            for variable in container["env"]
            if "valueFrom" in variable
        }
        expected = None if component == "migrate" else "client-secret"
        assert keys.get("ECHOMIND_AUTH__CLIENT_SECRET") == expected, component


def test_certificates_of_a_map_are_trusted_by_all() -> None:
    for component, pod in pods(rendered(CHART / "ci/signin.yaml")).items():
        (container,) = pod["containers"]
        (mount,) = (each for each in container["volumeMounts"] if each["name"] == "certificates")
        (volume,) = (each for each in pod["volumes"] if each["name"] == "certificates")
        assert volume["configMap"] == {"name": "authorities"}
        given = [each["value"] for each in container["env"] if each["name"] == TRUST]
        assert given == [f"{mount['mountPath']}/bundle.pem"], component


def test_prometheus_finds_the_services_as_the_alerts_name_them() -> None:
    """Its operator would else call the job by the names of the namespace and of the PodMonitor."""
    (monitor, rule) = (
        next(each for each in rendered(CHART / "ci/keda.yaml") if each["kind"] == kind)
        for kind in ("PodMonitor", "PrometheusRule")
    )
    written = yaml.safe_load((ROOT / "deploy/dashboards/alerts.yaml").read_text())
    assert rule["spec"] == written
    assert {each["metadata"]["labels"]["release"] for each in (monitor, rule)} == {"prometheus"}
    (job,) = {job for each in written["groups"][0]["rules"] for job in re.findall(r'job="(\w+)"', each["expr"])}
    for component, labels in labels_of(rendered(CHART / "ci/keda.yaml")).items():
        assert labels[monitor["spec"]["jobLabel"]] == job, component


@for_each("case", CASES, ids=lambda case: str(case.stem))
def test_liveness_asks_no_dependency(case: Path) -> None:
    found = pods(rendered(case))
    assert set(found) - {"migrate", "tools"} == COMPONENTS
    for component, pod in found.items():
        (container,) = pod["containers"]
        if component in {"migrate", "tools"}:
            continue
        liveness, readiness = container["livenessProbe"], container["readinessProbe"]
        if component == "embedding":
            assert "tcpSocket" in liveness
        else:
            assert (liveness["httpGet"]["path"], readiness["httpGet"]["path"]) == ("/healthz", "/readyz")
        drain = container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
        assert pod["terminationGracePeriodSeconds"] > drain + 5, component


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.stem))
def test_settings_have_values_that_services_accept(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for pod in pods(rendered(case)).values():
        with monkeypatch.context() as environment:
            for variable in pod["containers"][0]["env"]:
                environment.setenv(variable["name"], variable.get("value", "from-a-secret"))
            Settings()


def test_the_migration_runs_before_what_the_chart_makes() -> None:
    (job,) = (manifest for manifest in rendered(CHART / "ci/default.yaml") if manifest["kind"] == "Job")
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert [variable["name"] for variable in container["env"]] == ["ECHOMIND_POSTGRES__URL"]


def policies_of(case: str) -> dict[str, dict[str, Any]]:
    """Returns the specifications of network policies by component."""
    return {
        manifest["spec"]["podSelector"]["matchLabels"]["app.kubernetes.io/component"]: manifest["spec"]
        for manifest in rendered(CHART / "ci" / f"{case}.yaml")
        if manifest["kind"] == "NetworkPolicy"
    }


def test_a_pod_has_the_command_line_where_it_is_enabled() -> None:
    assert "tools" not in pods(rendered(CHART / "ci/default.yaml"))
    manifests = rendered(CHART / "ci/tools.yaml")
    found = pods(manifests)
    (container,) = found["tools"]["containers"]
    (service,) = found["api"]["containers"]
    names = {each["name"] for each in container["env"]}
    assert names >= {each["name"] for each in service["env"]} - {"ECHOMIND_API__OWNER_PASSWORD"}
    assert are_external({each["name"]: "x" for each in container["env"]}), "a backup takes the servers"
    assert "/echomind-all:" in f"/{container['image']}"
    address = {each["name"]: each.get("value") for each in container["env"]}["ECHOMIND_URL"]
    services = {each["metadata"]["name"]: each["spec"]["ports"][0] for each in manifests if each["kind"] == "Service"}
    assert services[address.removeprefix("http://")]["port"] == 80


def test_the_command_line_reaches_gateways_that_others_do_not() -> None:
    policies = policies_of("tools")
    assert set(policies) == COMPONENTS | {"migrate", "tools"}
    assert not policies["tools"].get("ingress")
    own = [rule for rule in policies["tools"]["egress"] if rule.get("to", [{}])[0].get("podSelector")]
    assert {port["port"] for rule in own for port in rule["ports"]} == {8080, 50061}
    (public,) = (rule for rule in policies["api"]["ingress"] if rule["ports"][0]["port"] == 8080)
    labels = [peer["podSelector"]["matchLabels"] for peer in public["from"] if "podSelector" in peer]
    assert [each["app.kubernetes.io/component"] for each in labels] == ["tools"]
    assert len(public["from"]) == 2


def test_every_component_has_its_network_policy() -> None:
    policies = policies_of("default")
    assert set(policies) == COMPONENTS | {"migrate"}
    assert not policies["embedding"].get("egress"), "the embedding process connects to nothing"
    assert not policies["migrate"].get("ingress")


def test_replicas_are_left_to_what_scales() -> None:
    for case, kind in (("hpa", "HorizontalPodAutoscaler"), ("keda", "ScaledObject")):
        manifests = rendered(CHART / f"ci/{case}.yaml")
        scaled = {each["spec"]["scaleTargetRef"]["name"] for each in manifests if each["kind"] == kind}
        assert {"answers-agent", "answers-ingestor"} <= scaled
        for manifest in manifests:
            if manifest["kind"] == "Deployment":
                assert ("replicas" in manifest["spec"]) == (manifest["metadata"]["name"] not in scaled)


@for_each(
    ("arguments", "message"),
    [
        (["--set", "secrets.name="], "Set secrets.name to the name of a Secret"),
        (["--set", "qdrant.url="], "Set qdrant.url to the address"),
        (["--set", "s3.endpoint="], "Set s3.endpoint to the address"),
        (
            ["--set", "ingress.enabled=true,api.settings.ECHOMIND_API__TRUSTED_PROXIES=10.244.0.0/16"],
            "Set ingress.host to the name",
        ),
        (
            ["--set", "ingress.enabled=true,ingress.host=echomind.example.org"],
            "Set api.settings.ECHOMIND_API__TRUSTED_PROXIES to the addresses",
        ),
        (["--set", "api.replica=3"], "additional properties 'replica' not allowed"),
        (["--set", "agent.autoscaling.engine=cpu"], "value must be one of"),
        (["--set", "settings.LOG_LEVEL=debug"], "does not match pattern"),
        (["--set", "nats.replicas=2"], "value must be one of"),
        (["--set", "secrets.settings.ECHOMIND_AUTH__CLIENT_SECRET="], "minLength"),
    ],
)
def test_wrong_values_are_refused_with_a_sentence(arguments: list[str], message: str) -> None:
    done = run_helm("template", "answers", str(CHART), "--values", str(CHART / "ci/default.yaml"), *arguments)
    assert done.returncode != 0
    assert message in done.stderr
