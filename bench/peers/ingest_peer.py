"""One peer's ingestion: files, chunks, vectors, a Qdrant store on disk, with one embedding function (minilm.py).

    python ingest_peer.py --peer llamaindex|haystack|agno --corpus DIR --tokenizer tokenizer.json --work DIR

Run by the interpreter that has the peer installed. Prints one JSON object.
"""

import argparse
import json
import os
import resource
import time
from pathlib import Path

os.environ.update(
    HAYSTACK_TELEMETRY_ENABLED="False", AGNO_TELEMETRY="false", HF_HUB_OFFLINE="1", ANONYMIZED_TELEMETRY="False"
)

from minilm import MiniLm

CHUNK_TOKENS, OVERLAP_TOKENS = 200, 20
TEXTS_A_CALL = 64


def llamaindex(files, store_path, mini):
    from llama_index.core import SimpleDirectoryReader
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.ingestion import IngestionPipeline
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.vector_stores.qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient

    class Embedding(BaseEmbedding):
        def _get_text_embedding(self, text):
            return mini.embed([text])[0].tolist()

        def _get_text_embeddings(self, texts):
            return mini.embed(texts).tolist()

        def _get_query_embedding(self, query):
            return mini.embed([query])[0].tolist()

        async def _aget_query_embedding(self, query):
            return mini.embed([query])[0].tolist()

    client = QdrantClient(path=store_path)
    pipeline = IngestionPipeline(
        transformations=[
            SentenceSplitter(chunk_size=CHUNK_TOKENS, chunk_overlap=OVERLAP_TOKENS),
            Embedding(model_name="minilm", embed_batch_size=TEXTS_A_CALL),
        ],
        vector_store=QdrantVectorStore("bench", client=client),
    )

    def run():
        pipeline.run(documents=SimpleDirectoryReader(input_files=files).load_data())

    return run, lambda: client.count("bench").count


def haystack(files, store_path, mini):
    from haystack import Document, Pipeline, component
    from haystack.components.converters import TextFileToDocument
    from haystack.components.preprocessors import DocumentSplitter
    from haystack.components.writers import DocumentWriter
    from haystack_integrations.document_stores.qdrant import QdrantDocumentStore

    @component
    class Embedding:
        @component.output_types(documents=list[Document])
        def run(self, documents: list[Document]):
            for start in range(0, len(documents), TEXTS_A_CALL):
                part = documents[start : start + TEXTS_A_CALL]
                vectors = mini.embed([document.content for document in part])
                for document, vector in zip(part, vectors, strict=True):
                    document.embedding = vector.tolist()
            return {"documents": documents}

    store = QdrantDocumentStore(path=store_path, index="bench", embedding_dim=384, similarity="cosine")
    # The splitter counts words: about three quarters of the number of tokens.
    splitter = DocumentSplitter(
        split_by="word", split_length=int(CHUNK_TOKENS * 0.75), split_overlap=int(OVERLAP_TOKENS * 0.75)
    )
    pipeline = Pipeline()
    pipeline.add_component("convert", TextFileToDocument())
    pipeline.add_component("split", splitter)
    pipeline.add_component("embed", Embedding())
    pipeline.add_component("write", DocumentWriter(store))
    pipeline.connect("convert", "split")
    pipeline.connect("split", "embed")
    pipeline.connect("embed", "write")
    return lambda: pipeline.run({"convert": {"sources": files}}), store.count_documents


def agno(files, store_path, mini):
    from dataclasses import dataclass

    from agno.knowledge.chunking.recursive import RecursiveChunking
    from agno.knowledge.embedder.base import Embedder
    from agno.knowledge.knowledge import Knowledge
    from agno.knowledge.reader.text_reader import TextReader
    from agno.vectordb.qdrant import Qdrant

    @dataclass
    class Embedding(Embedder):
        dimensions: int = 384
        enable_batch: bool = True
        batch_size: int = TEXTS_A_CALL

        def get_embedding(self, text):
            return mini.embed([text])[0].tolist()

        def get_embedding_and_usage(self, text):
            return self.get_embedding(text), None

        async def async_get_embedding(self, text):
            return self.get_embedding(text)

        async def async_get_embedding_and_usage(self, text):
            return self.get_embedding(text), None

        async def async_get_embeddings_batch_and_usage(self, texts):
            return mini.embed(texts).tolist(), [None] * len(texts)

    store = Qdrant(collection="bench", path=store_path, embedder=Embedding())
    knowledge = Knowledge(vector_db=store)
    # Chunk sizes are in characters: about five per token of this text.
    reader = TextReader(chunking_strategy=RecursiveChunking(chunk_size=CHUNK_TOKENS * 5, overlap=OVERLAP_TOKENS * 5))

    def run():
        for file in files:
            knowledge.insert(path=file, reader=reader, skip_if_exists=False)

    return run, lambda: store.client.count("bench").count


PEERS = {"llamaindex": llamaindex, "haystack": haystack, "agno": agno}


def main():
    parser = argparse.ArgumentParser(description="Measures one peer's ingestion.")
    parser.add_argument("--peer", required=True, choices=PEERS)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=100_000, help="at most")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=8, help="texts of a model call")
    arguments = parser.parse_args()
    mini = MiniLm(arguments.tokenizer, arguments.threads, arguments.batch)
    files = [str(file) for file in sorted(arguments.corpus.iterdir())[: arguments.documents]]
    run, count = PEERS[arguments.peer](files, str(arguments.work / f"qdrant-{arguments.peer}"), mini)
    began, cpu_before = time.perf_counter(), time.process_time()
    run()
    wall_s, cpu_s = time.perf_counter() - began, time.process_time() - cpu_before
    chunks = count()
    row = {
        "peer": arguments.peer,
        "documents": len(files),
        "chunks": chunks,
        "tokens": mini.tokens,
        "embedded": mini.texts,
        "wall_s": round(wall_s, 3),
        "cpu_s": round(cpu_s, 3),
        "embedding_cpu_s": round(mini.cpu_s, 3),
        "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(json.dumps(row), flush=True)
    os._exit(0)  # skips the slow shutdown of the store


if __name__ == "__main__":
    main()
