"""Points of Qdrant's messages become what a search reads."""

import numpy as np
import pytest

from echomind_lib.vectors.points import DENSE, SPARSE, to_found
from echomind_lib.vectors.qdrant_messages import pb as qdrant

# A field that this release of the messages does not know: number 9, a varint of 5.
_UNKNOWN = b"\x48\x05"


@pytest.mark.parametrize("size", [1, 31, 32, 384, 4095, 4096, 600_000])
@pytest.mark.parametrize("more", [b"", _UNKNOWN])
def test_a_dense_vector_of_any_size_is_read_exactly(size: int, more: bytes) -> None:
    numbers = np.random.default_rng(size).standard_normal(size).astype(np.float32)
    point = qdrant.ScoredPoint(id=qdrant.PointId(uuid="a"))
    point.vectors.vectors.vectors[DENSE].dense.MergeFromString(
        qdrant.DenseVector(data=numbers.tolist()).SerializeToString() + more
    )
    found = to_found(qdrant.ScoredPoint.FromString(point.SerializeToString()), 0.5)
    assert found.dense is not None
    assert found.dense.dtype == np.float32
    assert np.array_equal(found.dense, numbers)


def test_a_vector_in_the_deprecated_field_is_read() -> None:
    """Servers before 1.17 answer so."""
    point = qdrant.ScoredPoint(id=qdrant.PointId(uuid="a"))
    point.vectors.vectors.vectors[DENSE].data.extend([0.5, -2.0])
    found = to_found(point, 0.5)
    assert found.dense is not None
    assert found.dense.tolist() == [0.5, -2.0]


def test_an_empty_vector_has_no_numbers() -> None:
    point = qdrant.ScoredPoint(id=qdrant.PointId(uuid="a"))
    point.vectors.vectors.vectors[DENSE].dense.SetInParent()
    found = to_found(point, 0.5)
    assert found.dense is not None
    assert found.dense.size == 0


def test_terms_and_payload_are_read() -> None:
    point = qdrant.ScoredPoint(id=qdrant.PointId(uuid="a"))
    point.vectors.vectors.vectors[SPARSE].sparse.indices.extend([3, 7])
    point.vectors.vectors.vectors[SPARSE].sparse.values.extend([1.0, 2.0])
    point.payload["text"].string_value = "Twenty days"
    point.payload["page"].null_value = qdrant.NullValue.NULL_VALUE
    point.payload["heading"].list_value.values.add(string_value="Leave")
    found = to_found(point, 0.5)
    assert (found.id, found.score, found.terms) == ("a", 0.5, frozenset({3, 7}))
    assert found.dense is None
    assert found.payload == {"text": "Twenty days", "page": None, "heading": ["Leave"]}
