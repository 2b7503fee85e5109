"""Chat models at the scripted server."""

from collections.abc import Callable
from dataclasses import replace

from echomind_lib.llms import RETRIES, ChatModel

MakeModel = Callable[..., ChatModel]
QUICK_RETRIES = replace(RETRIES, first=0.001)
