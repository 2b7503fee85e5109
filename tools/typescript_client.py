"""protoc plugin: a typed TypeScript client of the REST API, one module for each file with services.

Run by buf as `python -m tools.typescript_client` in the repository's root, beside protoc-gen-es, whose JSON types the
client uses. `echomind/public/v1/run_service.proto` becomes `echomind/public/v1/run_service_client.ts`: for each method
one constant, made by `call` or `stream` of `web/src/api/call.ts` from the method's first `google.api.http` binding.
Bundlers drop the constants that a page does not use.

The build fails on what the client cannot send: nested variables in paths, messages in queries, response bodies.
"""

import sys
from pathlib import PurePosixPath

from google.api import annotations_pb2  # type: ignore[import-untyped]
from google.protobuf.compiler import plugin_pb2
from google.protobuf.descriptor import Descriptor, FieldDescriptor, FileDescriptor, MethodDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions

from echomind_lib.contract.templates import variables
from tools.pydantic_plugin.contract import BuildError, Contract, is_well_known

RUNTIME = "@/api/call"
"""The module that sends the calls."""
WELL_KNOWN = "@bufbuild/protobuf/wkt"
"""The module of the JSON types of protobuf's own messages."""
VERBS = ("get", "put", "post", "delete", "patch")
TEXTS = {"google.protobuf.Timestamp", "google.protobuf.Duration", "google.protobuf.FieldMask"}
"""Messages that are a text in JSON, which a query can hold."""


def generate(request: plugin_pb2.CodeGeneratorRequest) -> plugin_pb2.CodeGeneratorResponse:
    """Generates the modules; what is wrong with the contract is in the response's `error`."""
    features = plugin_pb2.CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL
    try:
        contract = Contract(request)
        files = [
            plugin_pb2.CodeGeneratorResponse.File(name=f"{stem(file)}_client.ts", content=module(contract, file))
            for file in contract.files
            if file.services_by_name
        ]
    except BuildError as error:
        return plugin_pb2.CodeGeneratorResponse(supported_features=features, error=str(error))
    return plugin_pb2.CodeGeneratorResponse(supported_features=features, file=files)


def module(contract: Contract, file: FileDescriptor) -> str:
    """Returns the module of a file's services.

    Raises:
        BuildError: A method cannot be called by the client.
    """
    imports: dict[str, set[str]] = {}
    functions: set[str] = set()
    constants = []
    for number, service in enumerate(file.services_by_name.values()):
        for index, method in enumerate(service.methods):
            route = binding(method)
            if route is None:  # only over gRPC
                continue
            for message in (method.input_type, method.output_type):
                imports.setdefault(origin(file, message), set()).add(json_type(message))
            functions.add(function(method))
            doc = comment(contract.comment(file, (6, number, 2, index)))
            constants.append(f"{doc}\nexport const {name(method)} = {definition(method, *route)};\n")
    lines = [f"// Generated from {file.name} by tools/typescript_client.py. Do not edit.", ""]
    if functions:
        lines.append(f'import {{ {", ".join(sorted(functions))} }} from "{RUNTIME}";')
    lines += [f'import type {{ {", ".join(sorted(types))} }} from "{path}";' for path, types in sorted(imports.items())]
    return "\n".join([*lines, "", *constants])


def binding(method: MethodDescriptor) -> tuple[str, str, str] | None:
    """Returns verb, path template and body of a method's first HTTP binding; None when it has none.

    Raises:
        BuildError: The client does not know such a binding.
    """
    # Parsed again, because a separate pool does not know the extension.
    options = MethodOptions.FromString(method.GetOptions().SerializeToString())
    rule = options.Extensions[annotations_pb2.http]
    verb = rule.WhichOneof("pattern")
    if verb is None:
        return None
    if verb not in VERBS or rule.response_body:
        raise BuildError(f"{method.full_name}: the TypeScript client knows no {verb} with this response body")
    return verb.upper(), getattr(rule, verb), rule.body


def definition(method: MethodDescriptor, verb: str, template: str, body: str) -> str:
    """Returns the expression that makes a method's function.

    Raises:
        BuildError: A variable of the path is no field of the request, or the query would hold a message.
    """
    fields = method.input_type.fields_by_name
    path = variables(template)
    if unknown := [variable for variable in path if variable not in fields]:
        raise BuildError(f"{method.full_name}: {unknown} is no field of {method.input_type.full_name}")
    if body != "*":
        for field in method.input_type.fields:
            if field.name not in {*path, body} and not in_query(field):
                raise BuildError(f"{method.full_name}: {field.name} cannot be in a query")
    request = json_type(method.input_type)
    if verb == "PATCH" and "update_mask" in fields:
        # The server derives the mask from the keys of the body.
        request = f'Omit<{request}, "updateMask">'
    types = [request, json_type(method.output_type)]
    if path:
        types.append(" | ".join(f'"{fields[variable].json_name}"' for variable in path))
    for variable in path:
        template = template.replace(f"{{{variable}}}", f"{{{fields[variable].json_name}}}")
    values = [verb, template, *([body if body == "*" else fields[body].json_name] if body else [])]
    arguments = ", ".join(f'"{value}"' for value in values)
    return f"/* @__PURE__ */ {function(method)}<{', '.join(types)}>({arguments})"


def in_query(field: FieldDescriptor) -> bool:
    """Whether a field fits into a query: a scalar, a list of scalars, a text in JSON, or a message of such fields."""
    kind = field.message_type
    if kind is None or field.is_repeated:
        return kind is None
    if kind.full_name in TEXTS:
        return True
    return kind.file.package != "google.protobuf" and all(inner.message_type is None for inner in kind.fields)


def function(method: MethodDescriptor) -> str:
    """Returns the name of the runtime's function that makes a method's."""
    return "stream" if method.server_streaming else "call"


def name(method: MethodDescriptor) -> str:
    """Returns a method's name in TypeScript: `getRun` for `GetRun`."""
    return method.name[0].lower() + method.name[1:]


def json_type(message: Descriptor) -> str:
    """Returns what protoc-gen-es calls the JSON type of a message."""
    return f"{message.full_name.removeprefix(f'{message.file.package}.').replace('.', '_')}Json"


def origin(file: FileDescriptor, message: Descriptor) -> str:
    """Returns the module with the JSON type of a message, as a file's client imports it."""
    if is_well_known(message):
        return WELL_KNOWN
    here, there = PurePosixPath(file.name).parent.parts, PurePosixPath(stem(message.file))
    common = len([1 for a, b in zip(here, there.parts, strict=False) if a == b])
    up = "../" * (len(here) - common) or "./"
    return f"{up}{PurePosixPath(*there.parts[common:])}_pb.js"


def stem(file: FileDescriptor) -> str:
    """Returns the path of a proto without its extension."""
    path: str = file.name
    return path.removesuffix(".proto")


def comment(text: str) -> str:
    """Returns a comment as TypeScript has it."""
    lines = [line.strip() for line in text.strip().replace("*/", "* /").splitlines()]
    if len(lines) == 1:
        return f"/** {lines[0]} */"
    return "\n".join(["/**", *(f" * {line}".rstrip() for line in lines), " */"])


if __name__ == "__main__":
    given = plugin_pb2.CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
    sys.stdout.buffer.write(generate(given).SerializeToString())
