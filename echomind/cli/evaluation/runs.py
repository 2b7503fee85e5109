"""`echomind eval run` and the other commands for evaluations of assistants."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.evaluation.datasets import Name, find_dataset
from echomind.cli.nouns import ASSISTANTS, LLMS
from echomind.cli.progress import Progress
from echomind.cli.rendering import moment, one_line
from echomind.cli.tables import Table
from echomind.cli.terminal import CommandError
from echomind_lib.models import public

_POLL_SECONDS = 1.0
_SHARES = (
    ("documents", "Documents found"),
    ("reciprocal_rank", "Reciprocal rank"),
    ("passages", "Passages found"),
    ("facts", "Facts in answers"),
    ("citations", "Supported citations"),
    ("judge", "Judge"),
)
"""Shares of the figures, with their names."""
EvaluationId = Annotated[
    int, typer.Argument(metavar="EVALUATION", min=1, help="Id of an evaluation; `runs` shows them.")
]


async def run(
    api: Api,
    name: Name,
    assistant: Annotated[
        str,
        typer.Option(
            metavar="NAME|ID",
            help="Assistant to evaluate.",
            autocompletion=completion.assistants,
            show_default="the one of your new sessions",
        ),
    ] = "",
    version: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Version of the assistant; `assistants versions` shows them. Superadmins choose older ones.",
            show_default="the newest",
        ),
    ] = 0,
    judge: Annotated[
        str,
        typer.Option(
            metavar="NAME|ID",
            help="Chat model that judges the answers.",
            autocompletion=completion.llms,
            show_default="none",
        ),
    ] = "",
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until it has ended.")] = True,
) -> None:
    """Ask an assistant the questions of a dataset, and measure the answers.

    It runs in the background, also after Ctrl-C, with your rights and behind everybody's own questions. The exit code
    is 1 if it did not complete.
    """
    request = {
        "dataset_id": (await find_dataset(api, name)).id,
        "assistant_id": (await ASSISTANTS.find(api, assistant)).id if assistant else 0,
        "assistant_version": version,
        "judge_llm_id": (await LLMS.find(api, judge)).id if judge else 0,
    }
    evaluation = await api.client.call(public.EvaluationRunService.start_evaluation_run, request)
    if not wait:
        text = f"Started evaluation {evaluation.id}: `echomind eval show {evaluation.id}` shows what came of it."
        api.terminal.report(evaluation, text)
        return
    api.terminal.note(f"Evaluation {evaluation.id}: {api.link(f'/evaluations/{evaluation.id}')}")
    done = 0
    with Progress(api.terminal, "Asking", evaluation.questions) as progress:
        while evaluation.status.word == "running":
            await asyncio.sleep(_POLL_SECONDS)
            evaluation = await _find(api, evaluation.id)
            for _ in range(evaluation.answered + evaluation.failed - done):
                progress.advance()
            done = evaluation.answered + evaluation.failed
    await _show(api, evaluation)
    if evaluation.status.word != "completed":
        api.terminal.status = 1


async def list_runs(
    api: Api,
    dataset: Annotated[
        str,
        typer.Option(
            metavar="NAME|ID",
            help="Those with one dataset.",
            autocompletion=completion.evaluation_datasets,
            show_default="all",
        ),
    ] = "",
) -> None:
    """List your evaluations."""
    request = {"dataset_id": (await find_dataset(api, dataset)).id if dataset else 0}
    runs = (await api.client.collect(public.EvaluationRunService.list_evaluation_runs, request, limit=1000)).runs
    api.terminal.json({"runs": runs})
    api.terminal.table(
        ("ID", "DATASET", "ASSISTANT", "STATUS", "ANSWERED", "DOCUMENTS", "FACTS", "JUDGE", "STARTED"),
        (
            (
                each.id,
                each.dataset_name,
                _assistant(each),
                each.status.word,
                f"{each.answered}/{each.questions}",
                *(_share(getattr(each.figures, field, None)) for field in ("documents", "facts", "judge")),
                moment(each.creation_date),
            )
            for each in runs
        ),
        empty="There is no evaluation: start one with `echomind eval run DATASET`.",
    )


async def show(api: Api, evaluation_id: EvaluationId) -> None:
    """Show an evaluation with the result of each question."""
    await _show(api, await _find(api, evaluation_id))


async def compare(
    api: Api,
    first: Annotated[int, typer.Argument(metavar="FIRST", min=1, help="Id of an evaluation.")],
    second: Annotated[int, typer.Argument(metavar="SECOND", min=1, help="Id of another one with the same dataset.")],
) -> None:
    """Compare two evaluations with a dataset: their figures, and questions that differ."""
    runs = [await _find(api, each) for each in (first, second)]
    if runs[0].dataset_id != runs[1].dataset_id:
        raise CommandError(
            f"Evaluation {first} is with {runs[0].dataset_name} and {second} with {runs[1].dataset_name}: choose two "
            "with the same dataset."
        )
    results = [{one.case_id or -one.id: one for one in await _results(api, each)} for each in runs]
    api.terminal.json({"runs": runs, "results": [list(each.values()) for each in results]})
    a, b = (each.figures for each in runs)
    api.terminal.table(("", *(f"{each.id}: {_assistant(each)}" for each in runs), "CHANGE"), _compared(a, b), empty="")
    rows = []
    for case_id in dict.fromkeys([*results[0], *results[1]]):
        before, after = results[0].get(case_id), results[1].get(case_id)
        summaries = [_summary(each) if each else "not asked" for each in (before, after)]
        if summaries[0] != summaries[1]:
            expected = (after or before).expected  # type: ignore[union-attr]  # one of them has the question
            rows.append((one_line(expected.question if expected else "", 50), *summaries))
    api.terminal.line("")
    api.terminal.table(("QUESTION", str(first), str(second)), rows, empty="No question differs.")


async def cancel(api: Api, evaluation_id: EvaluationId) -> None:
    """Cancel an evaluation; what was measured stays."""
    evaluation = await api.client.call(public.EvaluationRunService.cancel_evaluation_run, {"id": evaluation_id})
    api.terminal.report(evaluation, f"Evaluation {evaluation_id} is {evaluation.status.word}.")


async def remove(api: Api, evaluation_id: EvaluationId, yes: Yes = False) -> None:
    """Delete an evaluation with its results permanently."""
    evaluation = await _find(api, evaluation_id)
    await confirm(api.terminal, f"Delete evaluation {evaluation_id} with {evaluation.dataset_name}", yes=yes)
    await api.client.call(public.EvaluationRunService.delete_evaluation_run, {"id": evaluation_id})
    api.terminal.report(evaluation, f"Deleted evaluation {evaluation_id}.")


async def _find(api: Api, evaluation_id: int) -> "public.EvaluationRun":
    return await api.client.call(public.EvaluationRunService.get_evaluation_run, {"id": evaluation_id})


async def _results(api: Api, evaluation: "public.EvaluationRun") -> "list[public.EvaluationResult]":
    request = {"evaluation_run_id": evaluation.id}
    return (
        await api.client.collect(public.EvaluationRunService.list_evaluation_results, request, limit=10_000)
    ).results


async def _show(api: Api, evaluation: "public.EvaluationRun") -> None:
    results = await _results(api, evaluation)
    api.terminal.json({"run": evaluation, "results": results})
    figures = evaluation.figures
    api.terminal.fields(
        (
            ("Evaluation", f"{evaluation.id}, with {evaluation.dataset_name}"),
            ("Assistant", _assistant(evaluation)),
            ("Judge model", evaluation.judge_llm_name),
            ("Status", evaluation.status.word),
            ("Reason", evaluation.status_message),
            ("Answered", f"{evaluation.answered} of {evaluation.questions}, {evaluation.failed} failed"),
            *((name, _share(getattr(figures, field, None), "")) for field, name in _SHARES),
            ("Cost", f"{figures.cost:.4f} USD" if figures and figures.cost else ""),
            ("Cost of the judge", f"{figures.judge_cost:.4f} USD" if figures and figures.judge_cost else ""),
            ("Time an answer", f"{figures.duration_ms / 1000:.1f} s" if figures and figures.duration_ms else ""),
        )
    )
    _RESULTS.write_rows(api.terminal, results)


def _compared(a: "public.EvaluationFigures | None", b: "public.EvaluationFigures | None") -> Sequence[tuple[str, ...]]:
    rows = []
    for field, name in _SHARES:
        before, after = getattr(a, field, None), getattr(b, field, None)
        if before is not None or after is not None:
            change = f"{100 * (after - before):+.1f}" if before is not None and after is not None else ""
            rows.append((name, _share(before), _share(after), change))
    for field, name, scale, unit in (("cost", "Cost", 1, " USD"), ("duration_ms", "Time an answer", 0.001, " s")):
        values = [scale * (getattr(each, field, None) or 0) for each in (a, b)]
        if any(values):
            before_, after_ = values
            rows.append((name, f"{before_:.4g}{unit}", f"{after_:.4g}{unit}", f"{after_ - before_:+.4g}"))
    return rows


def _summary(result: "public.EvaluationResult") -> str:
    """Returns what was measured of a question, in a few words."""
    if result.status.word != "completed":
        return result.status.word
    parts = [
        (f"rank {result.rank}" if result.rank else "not found") if result.document_share is not None else "",
        f"passages {_share(result.passage_share)}" if result.passage_share is not None else "",
        f"facts {_share(result.fact_share)}" if result.fact_share is not None else "",
        f"cited {result.supported_citations}/{result.citations}" if result.citations else "",
        f"judge {_share(result.judge_score)}" if result.judge_score is not None else "",
    ]
    return ", ".join(filter(None, parts)) or "answered"


def _share(value: float | None, empty: str = "-") -> str:
    return empty if value is None else f"{100 * value:.1f} %"


def _assistant(evaluation: "public.EvaluationRun") -> str:
    version = f" v{evaluation.assistant_version}" if evaluation.assistant_version else ""
    return f"{evaluation.assistant_name}{version}"


_RESULTS = Table(
    "EvaluationRunService.list_evaluation_results",
    "QUESTION STATUS RESULT MISSING",
    "",
    {
        "QUESTION": lambda each: one_line(each.expected.question if each.expected else "", 50),
        "RESULT": _summary,
        "MISSING": lambda each: one_line(each.status_message or ", ".join(each.missing), 50),
    },
)
