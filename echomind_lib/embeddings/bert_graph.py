"""Encoders of BERT's architecture built as OpenVINO graphs, from 8-bit weights.

The linear layers multiply 8-bit integers, which takes two thirds of the processor time of floating point at the same
retrieval quality. 8-bit inputs need a range for each layer. As some channels are a hundred times larger than others,
channels are first scaled to a similar size and the weights' rows inversely (SmoothQuant, Xiao et al. 2023,
https://arxiv.org/abs/2211.10438).
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from echomind_lib.process.lean_imports import import_without

if TYPE_CHECKING:
    import openvino as ov  # type: ignore[import-untyped]

Floats = NDArray[np.float32]

HEADS = 12
DIMENSION = 384
_HEAD = DIMENSION // HEADS
_NORM_EPSILON = 1e-12
_MASKED = -1e4

INPUTS = {
    "attention": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "output": ("attention.output.dense",),
    "intermediate": ("intermediate.dense",),
    "ffn": ("output.dense",),
}
"""The four inputs of linear layers in a transformer layer, and the linear layers that use each."""

_SMOOTHING = {"attention": 0.65, "output": 0.65, "intermediate": 0.65, "ffn": 0.8}
"""SmoothQuant's alpha: 0 keeps the activations, 1 equalizes all channels. Chosen by the cosine to 32-bit arithmetic
on passages outside the retrieval test sets: 0.9982 on average with MiniLM."""

Ranges = dict[str, tuple[Floats, Floats]]
"""Minimum and maximum of each channel, by `{layer}.{input}`."""


@dataclass(slots=True)
class Linear:
    """A linear layer: `x @ (weight * scale) + bias`."""

    weight: NDArray[np.int8]
    """`[in, out]`."""
    scale: Floats
    """`[1, out]`."""
    bias: Floats
    """`[out]`."""


@dataclass(slots=True)
class Weights:
    """A model's weights."""

    layers: int
    """Number of transformer layers."""
    linear: dict[str, Linear] = field(default_factory=dict)
    """By name, `encoder.layer.0.attention.self.query` and so on."""
    tensors: dict[str, NDArray[Any]] = field(default_factory=dict)
    """The remaining tensors, by name."""

    def table(self, name: str) -> tuple[NDArray[np.int8], Floats]:
        """Returns an embedding table and its scales, `[rows, 384]` and `[rows, 1]`."""
        return self.tensors[f"{name}_q"], self.tensors[f"{name}_scale"]


def import_openvino() -> Any:
    """Returns the `openvino` package without its model conversion tools.

    Importing those would load `openvino_telemetry`, which reports usage to the vendor, and takes longer than all other
    imports.
    """
    return import_without("openvino", "openvino.tools.ovc")


def smooth(
    weights: Weights, ranges: Ranges, in_float: AbstractSet[str] = frozenset()
) -> dict[str, tuple[Floats, float, float]]:
    """Scales the weights' rows in place so that their inputs can be 8-bit integers.

    Args:
        weights: The weights.
        ranges: The measured ranges of the inputs' channels.
        in_float: Inputs that keep floating point.

    Returns:
        For each 8-bit input: the factors of its channels, and its minimum and maximum after scaling.
    """
    chosen: dict[str, tuple[Floats, float, float]] = {}
    for layer in range(weights.layers):
        for part, targets in INPUTS.items():
            name = f"{layer}.{part}"
            if name in in_float:
                continue
            lowest, highest = ranges[name]
            linears = [weights.linear[f"encoder.layer.{layer}.{target}"] for target in targets]
            full = [linear.weight.astype(np.float32) * linear.scale for linear in linears]
            activation = np.maximum(np.maximum(-lowest, highest), 1e-3)
            weight = np.maximum(np.max([np.abs(matrix).max(axis=1) for matrix in full], axis=0), 1e-4)
            alpha = _SMOOTHING[part]
            divisor = activation**alpha / weight ** (1 - alpha)
            divisor = (divisor / np.exp(np.log(divisor).mean())).astype(np.float32)
            for linear, matrix in zip(linears, full, strict=True):
                scaled = matrix * divisor[:, None]
                linear.scale = (np.abs(scaled).max(axis=0, keepdims=True) / 127).astype(np.float32)
                linear.weight = np.round(scaled / linear.scale).astype(np.int8)
            low, high = float((lowest / divisor).min()), float((highest / divisor).max())
            chosen[name] = ((1 / divisor).astype(np.float32), low, high)
    return chosen


def build(weights: Weights, eight_bit: dict[str, tuple[Floats, float, float]], *, taps: bool = False) -> "ov.Model":
    """Builds the encoder with pooling.

    Inputs, both float32: the sums of the three embeddings `[batch, tokens, 384]`, and the mask `[batch, tokens]` with 1
    for tokens and 0 for padding. Output: unit vectors `[batch, 384]`.

    Args:
        weights: The weights, smoothed if `eight_bit` is not empty.
        eight_bit: Result of `smooth`; empty computes everything in floating point.
        taps: Whether to output the inputs of the linear layers as well, in the order of `tap_names`.
    """
    openvino = import_openvino()
    import openvino.opset13 as op  # type: ignore[import-untyped]

    def constant(value: Any) -> Any:
        return op.constant(np.array(value, order="C"))

    def norm(x: Any, name: str) -> Any:
        centred = op.mvn(x, constant(np.array([-1])), True, _NORM_EPSILON, "inside_sqrt")
        gain, bias = weights.tensors[f"{name}.weight"], weights.tensors[f"{name}.bias"]
        return op.add(op.multiply(centred, constant(gain)), constant(bias))

    tapped = []

    def prepared(x: Any, name: str) -> Any:
        tapped.append(x)
        if name not in eight_bit:
            return x
        factor, low, high = eight_bit[name]
        lowest, highest = constant(np.float32(low)), constant(np.float32(high))
        return op.fake_quantize(op.multiply(x, constant(factor)), lowest, highest, lowest, highest, 256)

    def linear(x: Any, name: str, factor: float = 1.0) -> Any:
        layer = weights.linear[name]
        scale = (layer.scale * factor).astype(np.float32)
        matrix = op.multiply(op.convert(constant(layer.weight), "f32"), constant(scale))
        bias = (layer.bias * factor).astype(np.float32)
        return op.add(op.matmul(x, matrix, False, False), constant(bias))

    def heads(x: Any) -> Any:
        return op.transpose(op.reshape(x, constant([0, 0, HEADS, _HEAD]), True), constant([0, 2, 1, 3]))

    embedded = op.parameter([-1, -1, DIMENSION], np.float32, name="embedded")
    mask = op.parameter([-1, -1], np.float32, name="mask")
    penalty = op.multiply(op.subtract(constant(np.float32(1)), mask), constant(np.float32(_MASKED)))
    penalty = op.unsqueeze(penalty, constant([1, 2]))
    x = norm(embedded, "embeddings.LayerNorm")
    for layer in range(weights.layers):
        prefix = f"encoder.layer.{layer}"
        entry = prepared(x, f"{layer}.attention")
        query = heads(linear(entry, f"{prefix}.attention.self.query", _HEAD**-0.5))
        key = heads(linear(entry, f"{prefix}.attention.self.key"))
        value = heads(linear(entry, f"{prefix}.attention.self.value"))
        attention = op.softmax(op.add(op.matmul(query, key, False, True), penalty), -1)
        mixed = op.transpose(op.matmul(attention, value, False, False), constant([0, 2, 1, 3]))
        mixed = prepared(op.reshape(mixed, constant([0, 0, DIMENSION]), True), f"{layer}.output")
        x = norm(op.add(linear(mixed, f"{prefix}.attention.output.dense"), x), f"{prefix}.attention.output.LayerNorm")
        hidden = op.gelu(linear(prepared(x, f"{layer}.intermediate"), f"{prefix}.intermediate.dense"), "erf")
        hidden = prepared(hidden, f"{layer}.ffn")
        x = norm(op.add(linear(hidden, f"{prefix}.output.dense"), x), f"{prefix}.output.LayerNorm")
    # The mean's divisor cancels out in the normalization.
    total = op.reduce_sum(op.multiply(x, op.unsqueeze(mask, constant([2]))), constant([1]), False)
    outputs = [op.normalize_l2(total, constant([1]), _NORM_EPSILON, "max"), *(tapped if taps else [])]
    return openvino.Model([op.result(output) for output in outputs], [embedded, mask], "encoder")


def tap_names(weights: Weights) -> list[str]:
    """Returns names of the outputs that `build(taps=True)` adds, in their order."""
    return [f"{layer}.{part}" for layer in range(weights.layers) for part in INPUTS]


def load_ranges(path: Path) -> Ranges:
    """Reads the ranges measured by `calibration`."""
    with np.load(path) as stored:
        return {name: (stored[name][0].astype(np.float32), stored[name][1].astype(np.float32)) for name in stored}
