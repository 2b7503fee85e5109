"""Recognises the text of an image, with the models that are in the wheel of `rapidocr`."""

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from echomind_ingestor.extract.geometry import Box
from echomind_ingestor.extract.recognition.page import page_text
from echomind_lib.embeddings.bert_graph import import_openvino

_MODELS = {
    "Det": "PP-OCRv6_det_small.onnx",
    "Rec": "PP-OCRv6_rec_small.onnx",
    "Cls": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
}
"""Detection of lines, recognition of letters (Latin, Chinese, Japanese), and direction; PP-OCRv6, Apache-2.0."""


def recognize(image: NDArray[np.uint8]) -> str:
    """Returns the text of an image, with tables as Markdown; empty if it has none.

    Args:
        image: Its pixels: rows, columns, and blue, green, red.
    """
    found = _engine()(image)
    if found.boxes is None or found.txts is None:
        return ""
    boxes = []
    for corners, text in zip(found.boxes, found.txts, strict=True):
        left, top = corners.min(axis=0)
        right, bottom = corners.max(axis=0)
        boxes.append(Box(text, float(left), float(top), float(right), float(bottom)))
    return page_text(boxes)


@cache
def _engine() -> Any:
    import_openvino()
    import rapidocr

    openvino: Any = import_module("rapidocr.inference_engine.openvino.main")

    class ExactConfig(openvino.CPUConfig):  # type: ignore[misc]
        """Computes in 32 bits: in the 16 bits that are the default of some processors, whole lines are misread."""

        def get_config(self) -> dict[str, Any]:
            return {**super().get_config(), "INFERENCE_PRECISION_HINT": "f32", "CPU_RUNTIME_CACHE_CAPACITY": "0"}

    openvino.CPUConfig = ExactConfig
    folder = Path(rapidocr.__file__).parent / "models"
    models = {f"{part}.model_path": str(folder / name) for part, name in _MODELS.items()}  # else they are looked up
    engines = {f"{part}.engine_type": rapidocr.EngineType.OPENVINO for part in _MODELS}
    # Pairs of lines, as the default of six at once takes more memory where they are long.
    options = {
        "EngineConfig.openvino.inference_num_threads": 1,
        "Global.log_level": "error",
        "Rec.rec_batch_num": 2,
    }
    return rapidocr.RapidOCR(params={**models, **engines, **options})
