"""protoc plugin: Pydantic models and typed service interfaces, with the constraints of buf.validate.

Run by buf as `python -m tools.pydantic_plugin` in the repository's root. Options, with commas between them:
    root: first part of the proto path, left out of the modules' names; so is a version part (`v1`).
    models: Python package of the models.
    pb: Python package of the protobuf messages.
    words: Folder of the models whose enums the command line needs as words.

`echomind/public/v1/user.proto` becomes `public/user.py`, and every folder an `__init__.py` that exports all its names.
The build fails on what has no place in the models: rules without translation, client streaming, `Any`, proto2.
"""

import sys

from google.protobuf.compiler import plugin_pb2

from tools.pydantic_plugin.contract import BuildError, Contract
from tools.pydantic_plugin.modules import Modules


def generate(request: plugin_pb2.CodeGeneratorRequest) -> plugin_pb2.CodeGeneratorResponse:
    """Generates the modules; what is wrong with the contract is in the response's `error`."""
    features = plugin_pb2.CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL
    options = dict(option.split("=", 1) for option in request.parameter.split(","))
    try:
        modules = Modules(
            Contract(request), options["root"], options["models"], options["pb"], options.get("words", "")
        )
        files = [plugin_pb2.CodeGeneratorResponse.File(name=name, content=text) for name, text in modules.all()]
    except BuildError as error:
        return plugin_pb2.CodeGeneratorResponse(supported_features=features, error=str(error))
    return plugin_pb2.CodeGeneratorResponse(supported_features=features, file=files)


if __name__ == "__main__":
    given = plugin_pb2.CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
    sys.stdout.buffer.write(generate(given).SerializeToString())
