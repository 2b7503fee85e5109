"""How often the check of citations is right, and what it costs: `python -m bench.citations`.

Claims in `data/claims.jsonl` were written by hand, as a model would paraphrase. With `--data FOLDER` that has
`xquad-en`, `xquad-de` and `xquad-zh` (each `docs.jsonl` and `queries.jsonl`) claims are made from these too: true ones
(a sentence as it stands; its longest clause; a question with its answer put in) and spoilt ones (another figure,
another name, a negation, a foreign answer, the wrong source). Bounds were chosen with `--half 0`.

With `--verify URL` an entailment model behind `/predict` of Text Embeddings Inference compares those that the check of
words has passed, as it does for answers with `ECHOMIND_VERIFY__PROVIDER=tei`; no other figures say what a model adds.
"""

import argparse
import asyncio
import json
import random
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import results
from bench.machine import describe
from echomind_agent.evidence.citations import cite
from echomind_agent.evidence.entailment import SOURCE_CHARACTERS, Pair, TeiEntailment
from echomind_agent.evidence.sources import Sources
from echomind_agent.text.sentences import sentences
from echomind_lib.llms import open_model_session
from echomind_lib.retrieval import Hit, content_terms

_QUESTION_WORDS = {
    "en": re.compile(
        r"\b(?:who|whom|what|which|when|where|how many|how much|how long|how old|whose|how|why)\b", re.IGNORECASE
    ),
    "de": re.compile(r"\b(?:we[rnm]|was|welche[rmsn]?|wann|wo|wie viele?|wie lange|wessen|wie|warum)\b", re.IGNORECASE),
    "zh": re.compile(r"多少|什么时候|什么|哪[一个些位种年]*|谁|何时|哪里|几"),
}
_VERBS = {
    "en": re.compile(r"\b(?:is|was|are|were|has|had|can|could|will|would|did)\b(?! not)"),
    "de": re.compile(r"\b(?:ist|war|sind|waren|wird|wurden?|hat|hatte|kann|konnten?|können)\b(?! nicht| kein)"),
    "zh": re.compile(r"是|有|能|会|可以"),
}
_NAME = re.compile(r"\b[A-Z][a-z]{3,}\b")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_LANGUAGES = ("en", "de", "zh")


@dataclass(frozen=True)
class Case:
    """A sentence, the source that it cites, and whether that supports it."""

    language: str
    kind: str
    claim: str
    source: str
    title: str
    supported: bool


def read(path: Path) -> list[dict[str, Any]]:
    """Returns a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def written_cases() -> Iterator[Case]:
    """The claims written by hand."""
    for row in read(Path(__file__).parent / "data" / "claims.jsonl"):
        for supported in (True, False):
            for claim in row["supported" if supported else "unsupported"]:
                yield Case(row["language"], "written by hand", claim, row["text"], row["title"], supported)


def made_cases(folder: Path, language: str, count: int, half: int, chance: random.Random) -> Iterator[Case]:
    """Claims made from XQuAD: `count` draws from the articles of one half, 0 or 1."""
    documents = {row["id"]: row for row in read(folder / f"xquad-{language}" / "docs.jsonl")}
    documents = {key: row for key, row in documents.items() if int(key.split("-")[0]) % 2 == half}
    questions = [row for row in read(folder / f"xquad-{language}" / "queries.jsonl") if row["doc_id"] in documents]
    said = {key: _long_sentences(row["text"], language) for key, row in documents.items()}
    keys = [key for key in documents if said[key]]
    names = sorted({name for key in keys for name in _NAME.findall(documents[key]["text"])})

    def case(kind: str, claim: str, key: str, supported: bool) -> Case:
        return Case(language, kind, claim, documents[key]["text"], documents[key]["title"], supported)

    for _ in range(count):
        key = chance.choice(keys)
        sentence = chance.choice(said[key])
        siblings = [other for other in keys if other.split("-")[0] == key.split("-")[0] and other != key]
        strangers = [other for other in keys if other.split("-")[0] != key.split("-")[0]]
        yield case("sentence as it stands", sentence, key, True)
        clauses = re.split(r"[,，;；](?!\d)\s*", re.sub(r"\s*[(（\[][^()（）]*[)）\]]", "", sentence))
        if len(clauses) > 1 and len(content_terms(longest := max(clauses, key=len), language)) > 3:
            yield case("its longest clause", longest, key, True)
        if verb := _VERBS[language].search(sentence):
            yield case("with a negation", _negated(sentence, verb, language), key, False)
        if figures := list(_FIGURE.finditer(sentence)):
            yield case("with another figure", _other_figure(sentence, chance.choice(figures), chance), key, False)
        if found := [name for name in _NAME.finditer(sentence) if name.start() > 0]:
            name = chance.choice(found)
            other = chance.choice([known for known in names if known != name[0]])
            yield case("with another name", sentence[: name.start()] + other + sentence[name.end() :], key, False)
        if siblings:
            yield case("wrong source, same article", sentence, chance.choice(siblings), False)
        yield case("wrong source, other article", sentence, chance.choice(strangers), False)
        question = chance.choice(questions)
        key, answer = question["doc_id"], question["answers"][0]
        yield case("question with its answer", _filled(question["text"], answer, language), key, True)
        alike = [
            other["answers"][0]
            for other in questions
            if any(map(str.isdigit, other["answers"][0])) == any(map(str.isdigit, answer))
            and other["answers"][0] not in documents[key]["text"]
        ]
        kind = "figure" if any(map(str.isdigit, answer)) else "words"
        foreign = _filled(question["text"], chance.choice(alike), language)
        yield case(f"question with a foreign answer ({kind})", foreign, key, False)
        own = [
            other["answers"][0]
            for other in questions
            if other["doc_id"] == key and answer not in other["answers"][0] and other["answers"][0] not in answer
        ]
        if own:
            swapped = _filled(question["text"], chance.choice(own), language)
            yield case("question with another answer of the source", swapped, key, False)


def foreign_cases(folder: Path, language: str, other: str, count: int, chance: random.Random) -> Iterator[Case]:
    """Sentences in one language that cite the same paragraph, or a wrong one, in another."""
    claims = read(folder / f"xquad-{language}" / "docs.jsonl")
    sources = {row["id"]: row for row in read(folder / f"xquad-{other}" / "docs.jsonl")}
    for row in chance.sample(claims, count):
        right = sources[row["id"]]
        wrong = chance.choice([source for source in sources.values() if source["title"] != right["title"]])
        sentence = chance.choice(_long_sentences(row["text"], language) or [row["text"]])
        kind = f"source in {other}"
        yield Case(language, kind, sentence, right["text"], right["title"], True)
        yield Case(language, f"wrong {kind}", sentence, wrong["text"], wrong["title"], False)


def supported(case: Case) -> bool:
    """Returns what the product says."""
    sources = Sources()
    hit = Hit("c", 1, 1, "s", case.title, case.source, (), None, 0, len(case.source), 0.5, 0.5)
    sources.add([hit])
    (citation,) = cite(f"{case.claim.rstrip('.。')} [1]", sources)
    return citation.supported


def _long_sentences(text: str, language: str) -> list[str]:
    found = [text[span.start : span.end] for span in sentences(text, language)]
    return [sentence for sentence in found if len(content_terms(sentence, language)) > 4]


def _filled(question: str, answer: str, language: str) -> str:
    blank = "" if language == "zh" else " "
    question = question.rstrip("?？ ")
    word = _QUESTION_WORDS[language].search(question)
    if word is None:
        return question + blank + answer
    return (question[: word.start()] + blank + answer + blank + question[word.end() :]).strip()


def _negated(sentence: str, verb: re.Match[str], language: str) -> str:
    if language == "zh":
        return sentence[: verb.start()] + ("没有" if verb[0] == "有" else f"不{verb[0]}") + sentence[verb.end() :]
    return f"{sentence[: verb.end()]} {'not' if language == 'en' else 'nicht'}{sentence[verb.end() :]}"


def _other_figure(sentence: str, figure: re.Match[str], chance: random.Random) -> str:
    digits = list(figure[0])
    place = chance.choice([place for place, letter in enumerate(digits) if letter.isdigit()])
    digits[place] = chance.choice([digit for digit in "123456789" if digit != digits[place]])
    return sentence[: figure.start()] + "".join(digits) + sentence[figure.end() :]


async def verified(cases: list[Case], url: str, threshold: float) -> list[bool]:
    """Returns what an entailment model says of claims."""
    pairs = [Pair(case.source[:SOURCE_CHARACTERS], case.claim) for case in cases]
    async with open_model_session() as http:
        return await TeiEntailment(url, "", threshold, http).supports(pairs)


def measure(cases: list[Case], url: str = "", threshold: float = 0.5) -> dict[str, Any]:
    """Returns the share that counts as supported by language and kind, and how good the mark "not confirmed" is.

    Args:
        cases: The claims.
        url: Address of an entailment model, which compares those that the check of words has passed; empty for none.
        threshold: Minimum score of `entailment`.
    """
    supported(cases[0])  # loads the language model
    begin = time.process_time()
    verdicts = [(case, supported(case)) for case in cases]
    spent = time.process_time() - begin
    if url:
        passed = [case for case, verdict in verdicts if verdict]
        confirmed = iter(asyncio.run(verified(passed, url, threshold)))
        return _shares([(case, verdict and next(confirmed)) for case, verdict in verdicts], spent) | {
            "by_words": _shares(verdicts, spent)["kinds"]
        }
    return _shares(verdicts, spent)


def _shares(verdicts: list[tuple[Case, bool]], spent: float) -> dict[str, Any]:
    kinds: dict[tuple[str, bool, str], list[bool]] = defaultdict(list)
    marks: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for case, verdict in verdicts:
        kinds[case.language, case.supported, case.kind].append(verdict)
        marks[case.language].append((not case.supported, not verdict))
    return {
        "cpu_ms_a_sentence": 1000 * spent / len(verdicts),
        "kinds": [
            {"language": language, "true": true, "kind": kind, "sentences": len(found), "supported": _share(found)}
            for (language, true, kind), found in sorted(kinds.items(), key=lambda item: (item[0][0], not item[0][1]))
        ],
        "marks": {
            language: {
                "precision": _share([wrong for wrong, marked in found if marked]),
                "recall": _share([marked for wrong, marked in found if wrong]),
            }
            for language, found in sorted(marks.items())
        },
    }


def report(data: dict[str, Any]) -> str:
    """Returns the tables of a run."""
    kinds = [
        [row["language"], "true" if row["true"] else "spoilt", row["kind"], row["sentences"], row["supported"]]
        for row in data["kinds"]
    ]
    head = ["language", "", "claims", "sentences", "counted as supported"]
    if "by_words" in data:
        head.append("by the check of words alone")
        kinds = [[*row, words["supported"]] for row, words in zip(kinds, data["by_words"], strict=True)]
    marks = [[language, row["precision"], row["recall"]] for language, row in data["marks"].items()]
    return "\n".join(
        [
            results.machine_line(data["machine"]),
            "",
            results.table(head, kinds),
            "The mark “not confirmed”:\n",
            results.table(["language", "precision", "recall"], marks),
            f"CPU ms a cited sentence, its source taken apart for it alone: {data['cpu_ms_a_sentence']:.2f}.",
        ]
    )


def _share(values: list[bool]) -> float:
    return sum(values) / max(1, len(values))


def main() -> None:
    """Measures and writes `results/citations.json` and `.md`."""
    parser = argparse.ArgumentParser(description="Measures the check of citations.")
    parser.add_argument("--data", type=Path, help="folder of the test sets")
    parser.add_argument("--count", type=int, default=300, help="draws from each language")
    parser.add_argument("--half", type=int, choices=(0, 1), default=1, help="0: the half that was tuned on")
    parser.add_argument("--verify", default="", metavar="URL", help="an entailment model that compares, too")
    parser.add_argument("--threshold", type=float, default=0.5, help="minimum score of its entailment")
    parser.add_argument("--out", type=Path, default=results.FOLDER, help="folder of the results")
    options = parser.parse_args()
    chance = random.Random(11)
    cases = list(written_cases())
    if options.data:
        for language in _LANGUAGES:
            cases += made_cases(options.data, language, options.count, options.half, chance)
        for language, other in (("en", "de"), ("de", "en"), ("zh", "en")):
            cases += foreign_cases(options.data, language, other, min(options.count, 240), chance)
    data = {"machine": describe()} | measure(cases, options.verify, options.threshold)
    name = "citations-verified" if options.verify else "citations"
    results.write(name, "How often the check of citations is right", data, report(data), options.out)


if __name__ == "__main__":
    main()
