"""Chat models at the scripted server."""

from collections.abc import Callable

from echomind_lib.llms import ChatModel, Retries

MakeModel = Callable[..., ChatModel]
QUICK_RETRIES = Retries(base_delay=0.001)
