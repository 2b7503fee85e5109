"""How collections are made: the form of their vectors, and the payload fields that filters use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from echomind_lib.vectors.qdrant_messages import pb as qdrant

QUANTIZATION = qdrant.QuantizationConfig(
    turboquant=qdrant.TurboQuantization(bits=qdrant.TurboQuantBitSize.Bits4, always_ram=True)
)
"""Candidates are found with 4 bits per dimension, then ranked by the full vectors."""
_KEYWORD, _INTEGER = qdrant.FieldType.FieldTypeKeyword, qdrant.FieldType.FieldTypeInteger
_INTEGER_PARAMS = qdrant.PayloadIndexParams(integer_index_params=qdrant.IntegerIndexParams(lookup=True, range=False))
_TENANT = (_KEYWORD, qdrant.PayloadIndexParams(keyword_index_params=qdrant.KeywordIndexParams(is_tenant=True)))
PayloadFields: TypeAlias = Mapping[str, tuple[Any, Any]]
"""Payload fields used in filters, with their indexes; `scope` is the tenant field."""
CHUNK_FIELDS: Final[PayloadFields] = {
    "scope": _TENANT,
    "chunking_session": (_KEYWORD, None),
    "connector_id": (_INTEGER, _INTEGER_PARAMS),
    "document_id": (_INTEGER, _INTEGER_PARAMS),
}
FACT_FIELDS: Final[PayloadFields] = {
    "scope": _TENANT,
    "kind": (_KEYWORD, None),
    "fact_id": (_INTEGER, _INTEGER_PARAMS),
}
