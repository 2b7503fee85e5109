"""The reference of the API, from the contract: a page for each noun with its calls, messages and values."""

import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from google.api import annotations_pb2  # type: ignore[import-untyped]
from google.protobuf import text_format
from google.protobuf.compiler import plugin_pb2
from google.protobuf.descriptor import (
    Descriptor,
    EnumDescriptor,
    FieldDescriptor,
    FileDescriptor,
    MethodDescriptor,
    ServiceDescriptor,
)
from google.protobuf.descriptor_pb2 import FileDescriptorSet, MethodOptions

from echomind_lib.errors import catalogue
from echomind_lib.errors.body import STATUS
from tools.pydantic_plugin import contract as places
from tools.pydantic_plugin.contract import Contract
from tools.pydantic_plugin.naming import paragraphs

PUBLIC = "echomind/public/v1/"
_SCALARS = {
    getattr(FieldDescriptor, name): name.removeprefix("TYPE_").lower()
    for name in dir(FieldDescriptor)
    if name.startswith("TYPE_")
}
_INTRODUCTION = """# API reference

The API has the same calls over REST and gRPC, generated from one contract. JSON has the fields in `camelCase`, and
times as RFC 3339. How to sign in and to read streams: [API keys and APIs](../../guide/api-keys-and-apis.md). What a
failed call answers: [Errors](../errors.md). A running EchoMind serves the same contract as OpenAPI at
`/api/v1/openapi.json`, and over gRPC by server reflection.

| Service | Calls | What it is about |
|---|---|---|
"""
_ERRORS = """# Errors

A failed call answers with a reason from this list. In gRPC it is `google.rpc.ErrorInfo.reason` with the domain
`echomind`; in REST the body is `{"error": {"code", "reason", "message", "metadata"}}`. The message is for people and
may change; programs read the reason and the metadata, whose values are strings.

| Reason | HTTP | Repeat | When, and its metadata |
|---|---|---|---|
"""


def read_contract(root: Path) -> Contract:
    """Returns the public contract of a checkout, with its comments.

    Args:
        root: The repository.

    Raises:
        CalledProcessError: buf does not accept the contract.
    """
    buf = Path(sys.executable).with_name("buf")
    image = subprocess.run([buf, "build", "-o", "-#format=binpb"], cwd=root, check=True, stdout=subprocess.PIPE)
    files = FileDescriptorSet.FromString(image.stdout).file
    public = [file.name for file in files if file.name.startswith(PUBLIC)]
    return Contract(plugin_pb2.CodeGeneratorRequest(proto_file=files, file_to_generate=public))


def pages(contract: Contract) -> dict[PurePosixPath, str]:
    """Returns the pages by their paths: `errors.md`, `api/README.md`, and `api/NOUN.md` for each noun."""
    nouns: dict[str, list[FileDescriptor]] = defaultdict(list)
    for file in contract.files:
        nouns[_noun(file)].append(file)
    made = {PurePosixPath(f"api/{noun}.md"): _page(contract, noun, files) for noun, files in nouns.items()}
    return {
        PurePosixPath("errors.md"): _errors(contract),
        PurePosixPath("api/README.md"): _INTRODUCTION + "\n".join(_services(contract)) + "\n",
        **made,
    }


def _noun(file: FileDescriptor) -> str:
    """Returns the name of the page that a file is on: its own, and for a service that of the noun it is about."""
    return str(PurePosixPath(file.name).stem.removesuffix("_service"))


def _services(contract: Contract) -> Iterator[str]:
    for file in contract.files:
        for index, service in enumerate(file.services_by_name.values()):
            about = _cell(contract.comment(file, (6, index)))
            yield f"| [{service.name}]({_noun(file)}.md#{service.name}) | {len(service.methods)} | {about} |"


def _page(contract: Contract, noun: str, files: list[FileDescriptor]) -> str:
    parts = [f"# {noun.replace('_', ' ').capitalize()}"]
    for file in files:
        for index, service in enumerate(file.services_by_name.values()):
            parts.extend(_service(contract, service, (6, index)))
    messages = [each for file in files for each in places.messages(file)]
    if messages:
        parts.append("## Messages")
        parts.extend(_message(contract, message, path) for message, path in messages)
    values = [each for file in files for each in places.enums(file)]
    if values:
        parts.append("## Values")
        parts.extend(_enum(contract, enum, path) for enum, path in values)
    return "\n\n".join(parts) + "\n"


def _service(contract: Contract, service: ServiceDescriptor, path: places.Path) -> Iterator[str]:
    yield f"## {service.name} {{ #{service.name} }}"
    yield _text(contract.comment(service.file, path))
    for index, method in enumerate(service.methods):
        yield f"### {method.name} {{ #{service.name}.{method.name} }}"
        yield _text(contract.comment(service.file, (*path, 2, index)))
        routes = "".join(f"- `{route}`\n" for route in _routes(method))
        answer = _type(method.output_type)
        yield (
            f"{routes}- gRPC: `{service.full_name}/{method.name}`\n- Request: {_type(method.input_type)}\n"
            f"- Response: {f'a stream of {answer}' if method.server_streaming else answer}"
        )


def _routes(method: MethodDescriptor) -> Iterator[str]:
    """Yields the routes of a method: verb, path, and which field is the body."""
    options = MethodOptions.FromString(method.GetOptions().SerializeToString())
    rule = options.Extensions[annotations_pb2.http]
    for route in (rule, *rule.additional_bindings) if rule.WhichOneof("pattern") else ():
        verb = route.WhichOneof("pattern")
        body = "" if route.body in {"", "*"} else f"  (body: {route.body})"
        yield f"{verb.upper()} {getattr(route, verb)}{body}"


def _message(contract: Contract, message: Descriptor, path: places.Path) -> str:
    text = f"### {message.name} {{ #{message.name} }}\n\n{_text(contract.comment(message.file, path))}\n"
    if not message.fields:
        return f"{text}\nIt has no fields."
    comments = [contract.comment(message.file, (*path, 2, index)) for index in range(len(message.fields))]
    rows = [_field(contract, field, comment) for field, comment in zip(message.fields, comments, strict=True)]
    return f"{text}\n| Field | Type | Meaning |\n|---|---|---|\n" + "\n".join(rows)


def _field(contract: Contract, field: FieldDescriptor, comment: str) -> str:
    rules = contract.rules(field, "FieldOptions", "field")
    limits = f" Rules: `{text_format.MessageToString(rules, as_one_line=True)}`." if rules is not None else ""
    meaning = _cell(comment) + limits.replace("|", "\\|")
    choice = field.containing_oneof
    if choice is not None and not choice.name.startswith("_"):
        meaning += f" One of `{choice.name}`."
    return f"| `{field.name}` | {_field_type(field)} | {meaning.strip()} |"


def _field_type(field: FieldDescriptor) -> str:
    if places.is_map(field):
        key, value = places.message_of(field).fields
        return f"map of {_field_type(key)} to {_field_type(value)}"
    kind = field.message_type or field.enum_type
    name = _SCALARS[field.type] if kind is None else _type(kind)
    return f"list of {name}" if field.is_repeated else name


def _type(kind: Descriptor | EnumDescriptor) -> str:
    """Returns the name of a type, with a link to it if it is one of the contract's own."""
    if not kind.file.name.startswith(PUBLIC):
        return f"`{kind.full_name}`"
    return f"[{kind.name}]({_noun(kind.file)}.md#{kind.name})"


def _enum(contract: Contract, enum: EnumDescriptor, path: places.Path) -> str:
    rows = [
        f"| `{value.name}` | {value.number} | {_cell(contract.comment(enum.file, (*path, 2, index)))} |"
        for index, value in enumerate(enum.values)
    ]
    return (
        f"### {enum.name} {{ #{enum.name} }}\n\n{_text(contract.comment(enum.file, path))}\n\n"
        "| Value | Number | Meaning |\n|---|---|---|\n" + "\n".join(rows)
    )


def _errors(contract: Contract) -> str:
    kinds = {
        kind.reason: kind
        for kind in vars(catalogue).values()
        if isinstance(kind, type) and issubclass(kind, catalogue.EchoMindError) and "reason" in vars(kind)
    }
    (file,) = (file for file in contract.files if "ErrorReason" in file.enum_types_by_name)
    ((enum, path),) = places.enums(file)
    rows = []
    for index, value in enumerate(enum.values):
        kind = kinds.get(value.name.removeprefix("ERROR_REASON_"))
        if kind is not None:
            meaning = _cell(contract.comment(file, (*path, 2, index)))
            repeat = "may help" if kind.retryable else "no"
            rows.append(f"| `{kind.reason}` | {STATUS[kind.code]} | {repeat} | {meaning} |")
    return _ERRORS + "\n".join(rows) + "\n"


def _text(comment: str) -> str:
    """Returns a comment as Markdown: what looks like a tag outside of code is text."""
    parts = re.split(r"(`[^`]*`)", paragraphs(comment))
    return "".join(part if part.startswith("`") else part.replace("<", "&lt;") for part in parts)


def _cell(comment: str) -> str:
    """Returns a comment as a cell of a table."""
    return _text(comment).replace("\n\n", "<br>").replace("|", "\\|")
