"""Converts the schema of a Qdrant collection for the engine: vectors, quantization, indexes of payload fields."""

from collections.abc import Callable, Mapping
from typing import Any

import qdrant_edge as edge

from echomind.local.embedded.qdrant_filters import given
from echomind.local.embedded.qdrant_protocol import InvalidRequestError, UnsupportedError, pb

DISTANCES = {
    pb.Distance.Cosine: edge.Distance.Cosine,
    pb.Distance.Euclid: edge.Distance.Euclid,
    pb.Distance.Dot: edge.Distance.Dot,
    pb.Distance.Manhattan: edge.Distance.Manhattan,
}


def engine_config(request: pb.CreateCollection) -> edge.EdgeConfig:
    """Vectors of a new collection.

    Search looks at every point, which up to some hundred thousand is fast enough and misses nothing, so graph and
    optimizer settings of the request have no effect here. Nor has quantization other than TurboQuant: the engine could
    apply it to points only that an optimizer has stored again.
    """
    return edge.EdgeConfig(
        quantization_config=_quantization(request.quantization_config),
        vectors={name: _dense_params(name, params) for name, params in dense_vectors(request.vectors_config).items()},
        sparse_vectors={name: _sparse_params(params) for name, params in request.sparse_vectors_config.map.items()},
        # No index at any size; a single segment, so that optimization is only vacuuming.
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=10**9, default_segment_number=1),
    )


def dense_vectors(config: pb.VectorsConfig) -> dict[str, pb.VectorParams]:
    """Dense vectors of a collection by name; a single unnamed one is named by the empty string."""
    match config.WhichOneof("config"):
        case "params":
            return {"": config.params}
        case "params_map":
            return dict(config.params_map.map)
    return {}


def _dense_params(name: str, params: pb.VectorParams) -> edge.EdgeVectorParams:
    if params.HasField("multivector_config"):
        raise UnsupportedError("multivectors")
    if params.distance not in DISTANCES:
        raise InvalidRequestError(f"vector `{name}` needs a distance")
    if params.size < 1:
        raise InvalidRequestError(f"vector `{name}` needs a size of at least 1")
    return edge.EdgeVectorParams(size=params.size, distance=DISTANCES[params.distance], **given(params, "on_disk"))


def _sparse_params(params: pb.SparseVectorParams) -> edge.EdgeSparseVectorParams:
    return edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf if params.modifier == pb.Modifier.Idf else None)


TURBO_BITS = {
    pb.TurboQuantBitSize.Bits1: edge.TurboQuantBitSize.Bits1,
    pb.TurboQuantBitSize.Bits1_5: edge.TurboQuantBitSize.Bits1_5,
    pb.TurboQuantBitSize.Bits2: edge.TurboQuantBitSize.Bits2,
    pb.TurboQuantBitSize.Bits4: edge.TurboQuantBitSize.Bits4,
    pb.TurboQuantBitSize.Bits8: edge.TurboQuantBitSize.Bits8,
}


def _quantization(config: pb.QuantizationConfig) -> edge.TurboQuantQuantizationConfig | None:
    if config.WhichOneof("quantization") != "turboquant":
        return None
    turbo = config.turboquant
    return edge.TurboQuantQuantizationConfig(bits=TURBO_BITS[turbo.bits] if turbo.HasField("bits") else None)


def quantization_change(request: pb.UpdateCollection) -> pb.QuantizationConfig:
    """Returns the new quantization of a collection in a request.

    Raises:
        UnsupportedError: The request changes something else, or asks for another quantization than TurboQuant.
    """
    for field, _ in request.ListFields():
        if field.name not in ("collection_name", "quantization_config", "timeout"):
            raise UnsupportedError(f"changes of a collection's {field.name}")
    kind = request.quantization_config.WhichOneof("quantization")
    if kind != "turboquant":
        raise UnsupportedError(f"changes to quantization of kind {kind}")
    return pb.QuantizationConfig(turboquant=request.quantization_config.turboquant)


def _keyword_index(params: pb.KeywordIndexParams) -> Any:
    return edge.KeywordIndexParams(**given(params, "is_tenant"), prefix=params.HasField("prefix"))


def _integer_index(params: pb.IntegerIndexParams) -> Any:
    return edge.IntegerIndexParams(**{"lookup": True, "range": True} | given(params, "lookup", "range", "is_principal"))


TOKENIZERS = {
    pb.TokenizerType.Prefix: edge.TokenizerType.Prefix,
    pb.TokenizerType.Whitespace: edge.TokenizerType.Whitespace,
    pb.TokenizerType.Word: edge.TokenizerType.Word,
    pb.TokenizerType.Multilingual: edge.TokenizerType.Multilingual,
}


def _text_index(params: pb.TextIndexParams) -> Any:
    if params.HasField("stopwords") or params.HasField("stemmer") or params.HasField("scoring"):
        raise UnsupportedError("stopwords, stemmers and scoring of a text index")
    return edge.TextIndexParams(
        tokenizer=TOKENIZERS.get(params.tokenizer, edge.TokenizerType.Word),
        **given(params, "lowercase", "min_token_len", "max_token_len", "phrase_matching", "ascii_folding"),
    )


FIELD_INDEXES: dict[int, tuple[str, Callable[[Any], Any]]] = {
    pb.FieldType.FieldTypeKeyword: ("keyword_index_params", _keyword_index),
    pb.FieldType.FieldTypeInteger: ("integer_index_params", _integer_index),
    pb.FieldType.FieldTypeText: ("text_index_params", _text_index),
    pb.FieldType.FieldTypeFloat: ("float_index_params", lambda _: edge.PayloadSchemaType.Float),
    pb.FieldType.FieldTypeBool: ("bool_index_params", lambda _: edge.PayloadSchemaType.Bool),
    pb.FieldType.FieldTypeDatetime: ("datetime_index_params", lambda _: edge.PayloadSchemaType.Datetime),
    pb.FieldType.FieldTypeUuid: ("uuid_index_params", lambda _: edge.PayloadSchemaType.Uuid),
}


def field_index(request: pb.CreateFieldIndexCollection) -> Any:
    """Returns the requested index on a payload field."""
    if request.field_type not in FIELD_INDEXES:
        raise UnsupportedError(f"an index of type {pb.FieldType.Name(request.field_type)}")
    params_field, make = FIELD_INDEXES[request.field_type]
    return make(getattr(request.field_index_params, params_field))


def payload_schema(schema: Mapping[str, "edge.PayloadIndexInfo"]) -> dict[str, pb.PayloadSchemaInfo]:
    """Payload indexes of a collection, for its description."""
    return {
        field: pb.PayloadSchemaInfo(
            data_type=pb.PayloadSchemaType.Value(str(info.data_type).rsplit(".", 1)[-1]), points=info.points
        )
        for field, info in schema.items()
    }
