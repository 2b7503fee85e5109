"""The blueprint of Authentik: its tags and references, and the addresses that it shares with EchoMind."""

import re
from typing import Any

import yaml

from echomind.cli.app import app
from tests.paths import ROOT

BLUEPRINT = ROOT / "deploy" / "authentik" / "echomind.yaml"
GUIDE = ROOT / "docs" / "guide" / "identity-providers.md"


class _Loader(yaml.SafeLoader):  # type: ignore[misc] # yaml has no types
    """Reads the tags of blueprints as tuples of the tag and its value."""


def _tag(loader: yaml.SafeLoader, name: str, node: yaml.Node) -> tuple[str, Any]:
    if isinstance(node, yaml.SequenceNode):
        return name, loader.construct_sequence(node, deep=True)
    assert isinstance(node, yaml.ScalarNode)
    return name, loader.construct_scalar(node)


_Loader.add_multi_constructor("!", _tag)


def entries() -> dict[str, Any]:
    found = yaml.load(BLUEPRINT.read_text(), _Loader)
    assert found["version"] == 1
    return {entry["model"]: entry for entry in found["entries"]}


def test_the_application_uses_the_provider() -> None:
    found = entries()
    provider, application = found["authentik_providers_oauth2.oauth2provider"], found["authentik_core.application"]
    assert application["attrs"]["provider"] == ("KeyOf", provider["id"])
    assert application["attrs"]["slug"] == application["identifiers"]["slug"]
    assert provider["attrs"]["signing_key"][0] == "Find"
    assert provider["attrs"]["client_type"] == "confidential"


def test_its_addresses_are_those_of_the_guide() -> None:
    found = entries()
    (redirect,) = found["authentik_providers_oauth2.oauth2provider"]["attrs"]["redirect_uris"]
    assert redirect["matching_mode"] == "strict"
    tag, (pattern, variable) = redirect["url"]
    assert (tag, variable) == ("Format", ("Env", "ECHOMIND_API__PUBLIC_URL"))
    guide = GUIDE.read_text()
    assert pattern.replace("%s", "https://echomind.example.org") in guide
    assert f"/application/o/{found['authentik_core.application']['attrs']['slug']}/" in guide
    assert found["authentik_core.group"]["attrs"]["name"] in guide
    for secret in re.findall(r"client_secret: (.*)", BLUEPRINT.read_text()):
        assert secret == "!Env ECHOMIND_CLIENT_SECRET"


def test_the_guide_uses_options_that_exist() -> None:
    from typer.main import get_command

    commands: Any = get_command(app)
    add = commands.get_command(None, "identity-providers").get_command(None, "add")
    known = {option for parameter in add.params for option in (*parameter.opts, *parameter.secondary_opts)}
    given = set(re.findall(r"(?<![\w-])--[a-z-]+", GUIDE.read_text()))
    assert given
    assert given <= known
