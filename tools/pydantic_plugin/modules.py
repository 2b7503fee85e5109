"""The generated modules."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import jinja2
from google.protobuf.descriptor import (
    Descriptor,
    EnumDescriptor,
    FieldDescriptor,
    FileDescriptor,
    MethodDescriptor,
    OneofDescriptor,
)

from tools.pydantic_plugin import contract as source
from tools.pydantic_plugin.contract import BuildError, Contract
from tools.pydantic_plugin.fields import Fields
from tools.pydantic_plugin.naming import TAKEN, class_name, docstring, member_name, module_path, paragraphs, snake

_INIT = '''"""The models and services of the contract's {folder} part, generated from it.

Each is imported with its module when it is first asked for, so that nobody waits for models that they do not use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
{imports}
else:
    _MODULES = {modules}

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {{__name__!r}} has no attribute {{name!r}}")
        return globals().setdefault(name, getattr(import_module(_MODULES[name]), name))


__all__ = {names}
'''

_WORDS = '''"""The values of the enums in requests as the words that people type, generated from the contract.

They are imported without Pydantic and protobuf, because the command line needs them before it knows the command.
"""

from enum import StrEnum
{classes}'''

_FIELD_HELP = '''"""What the fields in requests mean and how large they may be, generated from the contract.

Imported without Pydantic and protobuf, as the words are. By `Message.field`: the first sentence of the field's comment,
its least and its largest number, each None where there is none.
"""

from typing import Final

FIELD_HELP: Final[dict[str, tuple[str, float | None, float | None]]] = {fields!r}
'''


class Modules:
    """Renders the modules of a contract.

    Args:
        contract: The contract.
        root: First part of the proto path, left out of the modules' names.
        models: Package of the models.
        pb: Package of the protobuf messages.
        words: The folder whose enums are wanted as words, too.
    """

    def __init__(self, contract: Contract, root: str, models: str, pb: str, words: str = "") -> None:
        self._contract = contract
        self._fields = Fields(contract)
        self._root = root
        self._models = models
        self._pb = pb
        self._words_of = PurePosixPath(words) if words else None
        environment = jinja2.Environment(
            trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined
        )
        self._template = environment.from_string(Path(__file__).with_name("module.py.jinja").read_text())

    def all(self) -> Iterator[tuple[str, str]]:
        """Renders every module and the `__init__.py` of every folder, as path and text."""
        exports: dict[PurePosixPath, dict[str, str]] = defaultdict(dict)
        for file in self._contract.files:
            path = module_path(file, self._root)
            for name in self._names(file):
                if name in TAKEN or name in exports[path.parent]:
                    raise BuildError(f"{file.name}: the name {name} is taken")
                exports[path.parent][name] = self._dotted(file)
            yield f"{path}.py", self._render(file)
        for folder, names in exports.items():
            modules = dict(sorted(names.items()))
            imports = "\n".join(f"    from {module} import {name}" for name, module in modules.items())
            init = _INIT.format(folder=folder, imports=imports, modules=modules, names=list(modules))
            yield f"{folder}/__init__.py", init
            if folder == self._words_of:
                yield f"{folder}/words.py", _WORDS.format(classes="".join(self._words(folder)))
                yield f"{folder}/field_help.py", _FIELD_HELP.format(fields=dict(sorted(self._field_help(folder))))
        yield "__init__.py", '"""Pydantic models and service interfaces, generated from the contract."""\n'

    def _words(self, folder: PurePosixPath) -> Iterator[str]:
        """Renders the enums in the requests of a folder's services as words, each with the comment of its enum."""
        asked = {field.enum_type.full_name for field in self._requested(folder) if field.enum_type is not None}
        files = [file for file in self._contract.files if module_path(file, self._root).parent == folder]
        for file in files:
            for enum, path in source.enums(file):
                words = self._command_words(enum)
                if enum.full_name in asked and words:
                    members = "\n".join(f'    {name} = "{word}"' for name, word in words.items())
                    yield f'\n\nclass {class_name(enum)}(StrEnum):\n    """{self._doc(file, path, 4)}"""\n\n{members}\n'

    def _command_words(self, enum: EnumDescriptor) -> dict[str, str]:
        """Returns what the command line calls the values of an enum, by their names; those that it does not offer miss.

        That is the name in lower case, and nothing for the unspecified value, unless the contract has another word.
        """
        words = {}
        for value in enum.values:
            name = member_name(enum, value.number)
            own = self._contract.option(value, "EnumValueOptions", f"{enum.file.package}.command_word")
            words[name] = own if own is not None else name.lower() if value.number else ""
        return {name: word for name, word in words.items() if word}

    def _requested(self, folder: PurePosixPath) -> Iterator[FieldDescriptor]:
        """Lists the fields in the requests of a folder's services, some repeatedly."""
        for file in self._contract.files:
            if module_path(file, self._root).parent == folder:
                for service in file.services_by_name.values():
                    for method in service.methods:
                        yield from source.fields_in(method.input_type)

    def _field_help(self, folder: PurePosixPath) -> Iterator[tuple[str, tuple[str, float | None, float | None]]]:
        """Lists the fields in requests, each with what it means and its bounds."""
        asked = {field.full_name for field in self._requested(folder)}
        for file in self._contract.files:
            for message, path in source.messages(file):
                for field in message.fields:
                    if field.full_name in asked:
                        comment = paragraphs(self._contract.comment(file, (*path, 2, field.index)))
                        sentence = re.split(r"(?<=\.)\s", comment, maxsplit=1)[0]
                        yield f"{class_name(message)}.{field.name}", (sentence, *self._fields.bounds(field))

    def _dotted(self, file: FileDescriptor) -> str:
        return ".".join([self._models, *module_path(file, self._root).parts])

    def _names(self, file: FileDescriptor) -> Iterator[str]:
        yield from (class_name(enum) for enum, _ in source.enums(file))
        for message, _ in source.messages(file):
            yield class_name(message)
            if self._contract.is_patched(message):
                yield f"{class_name(message)}Patch"
        yield from file.services_by_name

    def _render(self, file: FileDescriptor) -> str:
        package, _, module = file.name.removesuffix(".proto").replace("/", ".").rpartition(".")
        return self._template.render(
            source=file.name,
            doc=self._doc(file, (12,), 0),
            pb_package=f"{self._pb}.{package}",
            pb_module=f"{module}_pb2",
            imports=sorted(self._imports(file)),
            enums=[
                {
                    "name": class_name(enum),
                    "doc": self._doc(file, path, 4),
                    "members": [
                        {
                            "name": member_name(enum, value.number),
                            "full": value.name,
                            "number": value.number,
                            "doc": self._doc(file, (*path, 2, value.index), 4),
                        }
                        for value in enum.values
                    ],
                }
                for enum, path in source.enums(file)
            ],
            messages=[self._message(message, path) for message, path in source.ordered(file)],
            services=[
                {
                    "name": service.name,
                    "doc": self._doc(file, (6, index), 4),
                    "methods": [
                        self._method(method, self._doc(file, (6, index, 2, position), 8))
                        for position, method in enumerate(service.methods)
                    ],
                }
                for index, service in enumerate(file.services_by_name.values())
            ],
        )

    def _doc(self, file: FileDescriptor, path: source.Path, indent: int) -> str:
        return docstring(self._contract.comment(file, path), indent)

    def _imports(self, file: FileDescriptor) -> set[tuple[str, str]]:
        """Lists the names of other modules that a module needs, with those modules."""
        names = set()
        for message, _ in source.messages(file):
            names |= {(kind.file, class_name(kind)) for kind in source.used_types(message)}
            if (resource := source.resource(message)) is not None:
                kind = source.message_of(resource)
                names.add((kind.file, f"{class_name(kind)}Patch"))
        for service in file.services_by_name.values():
            for method in service.methods:
                kinds = (method.input_type, method.output_type)
                names |= {(kind.file, class_name(kind)) for kind in kinds if not source.is_well_known(kind)}
        return {(self._dotted(other), name) for other, name in names if other.name != file.name}

    def _method(self, method: MethodDescriptor, doc: str) -> dict[str, Any]:
        service, output = method.containing_service, method.output_type
        if method.client_streaming:
            raise BuildError(f"{service.file.name}: {method.full_name}: streaming by the client is not understood")
        for kind in (method.input_type, output):
            if source.is_well_known(kind) and kind.name != "Empty":
                raise BuildError(f"{service.file.name}: {method.full_name}: {kind.full_name} has no model")
        return {
            "proto": method.name,
            "name": snake(method.name),
            "input": class_name(method.input_type),
            "output": class_name(output),
            # The message type that a stream may yield besides models, if it can be imported.
            "message": f"pb.{output.name}" if output.file.name == service.file.name else "Message",
            "streams": method.server_streaming,
            "doc": doc,
        }

    def _message(self, message: Descriptor, path: source.Path) -> dict[str, Any]:
        where = f"{message.file.name}: {message.full_name}"
        rules = self._contract.rules(message, "MessageOptions", "message")
        for descriptor, _ in rules.ListFields() if rules is not None else ():
            raise BuildError(f"{where}: the rule {descriptor.name} has no translation")
        resource = source.resource(message)
        fields = [self._fields.field(field, path, resource) for field in message.fields]
        names = {field.proto: field.name for field in fields}
        oneofs = [oneof for oneof in message.oneofs if not _is_optional(oneof)]
        bases = [base for base, there in (("UpdateModel", resource), ("OneofModel", oneofs)) if there]
        return {
            "name": class_name(message),
            "pb": message.full_name.removeprefix(f"{message.file.package}."),
            "doc": docstring(self._contract.comment(message.file, path), 4),
            "bases": ", ".join(bases or ["ProtoModel"]),
            "enums": [(names[each.name], class_name(each.enum_type)) for each in message.fields if each.enum_type],
            "oneofs": {oneof.name: tuple(names[field.name] for field in oneof.fields) for oneof in oneofs},
            "required_oneofs": [oneof.name for oneof in oneofs if self._is_required(oneof)],
            "resource": None if resource is None else (names[resource.name], class_name(source.message_of(resource))),
            "fields": fields,
            "is_patched": self._contract.is_patched(message),
        }

    def _is_required(self, oneof: OneofDescriptor) -> bool:
        rules = self._contract.rules(oneof, "OneofOptions", "oneof")
        return rules is not None and bool(rules.required)


def _is_optional(oneof: OneofDescriptor) -> bool:
    """Returns whether a oneof is only how protobuf writes `optional`."""
    return len(oneof.fields) == 1 and bool(oneof.name == f"_{oneof.fields[0].name}")
