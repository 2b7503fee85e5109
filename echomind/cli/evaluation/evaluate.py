"""`echomind eval`: how good answers and their foundations are."""

import hashlib
import io
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echomind.cli.api import Api
from echomind.cli.evaluation import datasets, runs
from echomind.cli.help_format import CommandGroup
from echomind.cli.progress import Progress
from echomind.cli.sources.connectors import create_file_connector, readers, resolve_connector
from echomind.cli.terminal import CommandError
from echomind_lib.models import public
from echomind_lib.models.public import words

if TYPE_CHECKING:
    from echomind.cli.evaluation.retrieval_sets import Dataset, TestDocument
    from echomind.cli.sources.uploads import Upload

app = CommandGroup("Measurements of quality.")
app.add_typer(datasets.app, name="datasets")
app.command("run")(runs.run)
app.command("runs")(runs.list_runs)
app.command("show")(runs.show)
app.command("compare")(runs.compare)
app.command("cancel")(runs.cancel)
app.command("remove")(runs.remove)

_PASSAGES = 500
"""Maximum results of a search: several passages may belong to one document, and recall needs 100 documents."""
_RECALL_DEPTH = 100


@app.callback()
def measure() -> None:
    """Measurements of quality."""


@app.command("retrieval")
async def evaluate_retrieval(
    api: Api,
    folder: Annotated[
        Path, typer.Argument(metavar="DATASET_DIR", help="Folder with docs.jsonl, queries.jsonl and qrels.tsv.")
    ],
    keep: Annotated[bool, typer.Option("--keep/--remove", help="Keep the documents for the next time.")] = False,
    with_feedback: Annotated[
        bool, typer.Option("--with-feedback", help="Measure what ratings of sources change instead.")
    ] = False,
) -> None:
    """Measure searches on a test set: nDCG@10, recall@100 and the median time of a search.

    The documents are stored in a connector `eval-NAME` that everyone may read while it exists, so this requires the
    role superadmin; it is removed afterwards unless --keep is given. Searches are limited to that connector.

    Each line of docs.jsonl is a JSON object with `id`, `title` and `text`, and each line of queries.jsonl one with `id`
    and `text`. qrels.tsv has the columns `query_id`, `doc_id` and `score`, with this header.

    With --with-feedback, half of the questions are asked, and the sources of their answers rated by the judgements of
    the test set. nDCG@10 is measured before and after for these questions, for paraphrases of them and for the other
    half. The sessions are purged with their ratings.
    """
    from echomind.cli.evaluation.feedback_gain import measure_gain
    from echomind.cli.evaluation.retrieval_sets import read_dataset

    dataset = read_dataset(folder)
    name = f"eval-{dataset.name}"
    connector = await _connector(api, name)
    try:
        documents = await _store(api, connector, dataset)
        result: dict[str, Any] = {
            "dataset": dataset.name,
            "documents": len(dataset.documents),
            "queries": len(dataset.queries),
        }
        if with_feedback:
            gain = await measure_gain(api, connector.id, dataset.queries, documents)
            result["feedback"] = gain
        for mode in (
            () if with_feedback else (public.SearchMode.LEXICAL, public.SearchMode.DENSE, public.SearchMode.HYBRID)
        ):
            result[mode.word] = await _measure(api, connector.id, dataset, documents, mode)
    finally:
        if not keep:
            await api.client.call(public.ConnectorService.delete_connector, {"id": connector.id})
    api.terminal.json(result)
    api.terminal.line(f"{dataset.name}: {result['documents']} documents, {result['queries']} queries")
    if with_feedback:
        api.terminal.table(
            ("QUESTIONS", "nDCG@10 BEFORE", "AFTER", "GAIN"),
            (
                (name, f"{gain[name]['before']:.4f}", f"{gain[name]['after']:.4f}", f"{gain[name]['gain']:+.4f}")
                for name in ("repeated", "paraphrased", "others")
            ),
            empty="",
        )
        return
    modes = [(mode, result[mode]) for mode in ("lexical", "dense", "hybrid")]
    api.terminal.table(
        ("MODE", "nDCG@10", "RECALL@100", "MEDIAN"),
        ((mode, f"{row['ndcg@10']:.4f}", f"{row['recall@100']:.4f}", f"{row['p50_ms']:.1f} ms") for mode, row in modes),
        empty="",
    )


async def _connector(api: Api, name: str) -> "public.Connector":
    """Returns the caller's connector of test documents, created when there is none.

    Raises:
        CommandError: The name is that of a connector whose documents are no test's.
    """
    connector = await resolve_connector(api, name)
    if connector is None:
        return await create_file_connector(api, name, words.Scope.ORG, "")
    me = await api.client.call(public.UserService.get_current_user)
    # The connector's documents are replaced by the test set and removed afterwards.
    if connector.user_id != me.id or connector.type.word != "file" or connector.scope.word != words.Scope.ORG:
        raise CommandError(
            f"The connector {name} (id {connector.id}, visible to {readers(connector)}) was not created by your "
            "evaluation: rename the folder of the test set, which names the connector."
        )
    return connector


async def _store(api: Api, connector: "public.Connector", dataset: "Dataset") -> dict[int, str]:
    """Uploads the documents as text files, waits, and returns the test set's ID for each document ID."""
    from echomind.cli.sources.uploads import find_unfinished, reconcile, upload_all, wait_all

    uploads = {f"{document.id}.txt": _upload(document) for document in dataset.documents if document.content}
    answer = await reconcile(api.client, connector.id, "", list(uploads.values()), remove_missing=True)
    with Progress(api.terminal, "Uploading", len(answer.upload)) as progress:
        sent = await upload_all(api.rest, connector.id, [uploads[name] for name in answer.upload], progress.advance)
    earlier = await find_unfinished(api.client, connector.id, uploads.keys() - set(answer.upload))
    with Progress(api.terminal, "Processing", len(sent) + len(earlier)) as progress:
        failed = [
            document
            for document in await wait_all(api.client, [*sent, *earlier], progress.advance)
            if document.status.word == "failed"
        ]
    if failed:
        raise CommandError(
            f"{len(failed)} of the documents could not be processed, so nothing is measured; "
            f"the first: {failed[0].title}: {failed[0].status_message}"
        )
    request = {"connector_id": connector.id}
    stored = await api.client.collect(public.DocumentService.list_documents, request, limit=len(uploads))
    return {document.id: document.source_id.removesuffix(".txt") for document in stored.documents}


def _upload(document: "TestDocument") -> "Upload":
    from echomind.cli.sources.uploads import Upload

    content = document.content.encode()
    signature = hashlib.sha256(content).hexdigest()
    return Upload(f"{document.id}.txt", signature, lambda: io.BytesIO(content), document.title)


async def _measure(
    api: Api, connector_id: int, dataset: "Dataset", documents: dict[int, str], mode: "public.SearchMode"
) -> dict[str, float]:
    """Runs all queries in one mode."""
    from echomind.cli.sources.ranking import ndcg, recall

    gains, recalls, times_ms = [], [], []
    with Progress(api.terminal, f"Searching ({mode.word})", len(dataset.queries)) as progress:
        # Sequential, so that the latencies are those of an idle system.
        for query in dataset.queries:
            request = public.SearchRequest(query=query.text, limit=_PASSAGES, mode=mode, connector_ids=[connector_id])
            begin = time.perf_counter()
            answer = await api.client.call(public.SearchService.search, request)
            times_ms.append(1000 * (time.perf_counter() - begin))
            # A document has the rank of its best passage.
            ranking = list(dict.fromkeys(documents[hit.document_id] for hit in answer.hits))
            gains.append(ndcg(ranking, query.relevance))
            recalls.append(recall(ranking, query.relevance, _RECALL_DEPTH))
            progress.advance()
    return {
        "ndcg@10": statistics.fmean(gains),
        "recall@100": statistics.fmean(recalls),
        "p50_ms": statistics.median(times_ms),
    }
