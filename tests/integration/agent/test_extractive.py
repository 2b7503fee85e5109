"""The built-in model, with the real embedder."""

from collections.abc import AsyncIterator

import msgspec
import pytest
import pytest_asyncio

from echomind_agent.evidence.citations import cite
from echomind_agent.evidence.sources import Sources, render
from echomind_agent.extractive.model import ExtractiveModel
from echomind_agent.state.call import tool_message
from echomind_api.start.guide import guide_folder
from echomind_api.start.seeds import ASSISTANT_STARTERS
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.llms import ChatRequest, Completion, LlmSearchFailed, Message, TextDelta, ToolCall, ToolSpec
from echomind_lib.llms.types import complete
from echomind_lib.retrieval import Hit, content_terms

SEARCH = ToolSpec("search_documents", "Finds passages.", {"type": "object"})
LEAVE = (
    "Full-time employees are entitled to 30 days of paid annual leave per calendar year. Leave is requested in the HR "
    "portal. Up to five unused days may be carried over into the next year; they expire on 31 March."
)
CANTEEN = "The canteen is open from 11:30 to 14:00. Employees pay half of the price. It is closed in August."
LIMITS = [("Oslo", "200 euro", "Anna Berg"), ("Rome", "150 euro", "Carlo Rossi"), ("Bergen", "180 euro", "Nils Dahl")]
GERMAN = (
    "Dienstreisen müssen vor Antritt genehmigt werden. Für Fahrten mit dem privaten Pkw werden 0,30 € je Kilometer "
    "erstattet. Belege sind innerhalb von 30 Tagen einzureichen."
)
CHINESE = "正式员工每周最多可以远程办公三天。远程办公需要提前一天申请。公司每月提供200元的网络补贴。"


@pytest_asyncio.fixture(loop_scope="session")
async def model(embedding_url: str) -> AsyncIterator[ExtractiveModel]:
    embeddings = EmbeddingClient(embedding_url)
    yield ExtractiveModel(embeddings)
    await embeddings.close()


def _sources(*texts: str, title: str = "Handbook") -> Sources:
    sources = Sources()
    sources.add(
        Hit(f"c{index}", index, 1, "s", title, text, (), None, 0, len(text), 0.5, 0.5)
        for index, text in enumerate(texts, start=1)
    )
    return sources


async def _answer(model: ExtractiveModel, question: str, *texts: str, before: tuple[str, ...] = ()) -> str:
    messages = [
        *(Message("user" if index % 2 == 0 else "assistant", text) for index, text in enumerate(before)),
        Message("user", question),
        Message("assistant", "", [ToolCall("s", "search_documents")]),
        Message("tool", render(_sources(*texts)), tool_call_id="s"),
    ]
    return (await complete(model, ChatRequest(messages, [SEARCH]))).text


async def test_asks_for_a_search_first(model: ExtractiveModel) -> None:
    completion = await complete(model, ChatRequest([Message("user", "How many days of leave do I get?")], [SEARCH]))
    (call,) = completion.tool_calls
    assert (completion.text, completion.finish_reason, call.name) == ("", "tool_calls", "search_documents")
    assert msgspec.json.decode(call.arguments) == {"query": "How many days of leave do I get?"}


async def test_quotes_with_citations_that_hold(model: ExtractiveModel) -> None:
    text = await _answer(model, "How many days of annual leave do full-time employees get?", CANTEEN, LEAVE)
    assert text.startswith("Full-time employees are entitled to 30 days of paid annual leave per calendar year. [2]")
    citations = cite(text, _sources(CANTEEN, LEAVE))
    assert citations
    assert all(citation.supported for citation in citations)


@pytest.mark.parametrize("question", ASSISTANT_STARTERS)
async def test_a_suggested_question_of_a_new_installation_gets_a_cited_answer(
    model: ExtractiveModel, question: str
) -> None:
    asked = content_terms(question, "en")
    folder = guide_folder()
    assert folder is not None
    sections = [text for page in sorted(folder.glob("*.md")) for text in page.read_text().split("\n## ")]
    likely = sorted(sections, key=lambda text: -len(asked & content_terms(text, "en")))[:8]
    citations = cite(await _answer(model, question, *likely), _sources(*likely))
    assert citations
    assert all(citation.supported for citation in citations)


@pytest.mark.parametrize(
    "table",
    [
        "\n".join(f"City: {city}; Limit: {limit}; Contact: {contact}" for city, limit, contact in LIMITS),
        "\n".join(["| City | Limit | Contact |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in LIMITS)]),
    ],
)
@pytest.mark.parametrize("question", ["What is the limit for hotels in Rome?", "Who is the contact for Rome?"])
async def test_a_question_about_a_row_is_answered_by_it_under_its_header(
    model: ExtractiveModel, question: str, table: str
) -> None:
    text = f"Hotels\n\n{table}"
    answer = await _answer(model, question, CANTEEN, text)
    assert answer == "- City: Rome; Limit: 150 euro; Contact: Carlo Rossi [2]"
    assert all(citation.supported for citation in cite(answer, _sources(CANTEEN, text)))


@pytest.mark.parametrize("title", ["Paid annual leave of full-time employees", "Handbook"])
async def test_a_title_alone_is_no_answer(model: ExtractiveModel, title: str) -> None:
    question = "How much paid annual leave do full-time employees get?"
    alone = await _answer(model, question, f"{title}\n\n{CANTEEN}")
    assert title not in alone
    answer = await _answer(model, question, f"{title}\n\n{LEAVE}")
    assert answer.startswith("Full-time employees are entitled to 30 days")


async def test_sentences_end_by_the_rules_of_their_own_language(model: ExtractiveModel) -> None:
    text = "Die Travel Policy gilt ab dem 1. Januar 2026 für alle Mitarbeiterinnen der Northwind Bicycles."
    answer = await _answer(model, "From when does the Travel Policy of Northwind Bicycles hold?", text)
    assert answer == f"{text} [1]"


async def test_text_is_streamed_and_complete(model: ExtractiveModel) -> None:
    rendered = render(_sources(LEAVE))
    request = ChatRequest([Message("user", "How much annual leave?"), Message("tool", rendered)])
    events = [event async for event in model.stream(request)]
    completion = events[-1]
    assert isinstance(completion, Completion)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == completion.text


@pytest.mark.parametrize(
    ("question", "texts", "declined"),
    [
        ("Which enzyme fixes carbon dioxide?", (LEAVE, CANTEEN), "Your documents do not contain an answer"),
        ("How many days of leave?", (), "Your documents do not contain an answer"),
        ("Wie viel Miete kostet das Büro in Hamburg?", (GERMAN,), "Ihre Dokumente enthalten darauf keine Antwort"),
        ("公司的总部在哪个城市？", (CHINESE,), "您的文档中没有我可以引用的答案。"),
    ],
)
async def test_declines_in_the_language_of_the_question(
    model: ExtractiveModel, question: str, texts: tuple[str, ...], declined: str
) -> None:
    assert (await _answer(model, question, *texts)).startswith(declined)


@pytest.mark.parametrize(
    ("question", "text", "quoted"),
    [
        ("Wie viel wird für Fahrten mit dem privaten Pkw erstattet?", GERMAN, "0,30 € je Kilometer erstattet. [1]"),
        ("每周可以远程办公几天？", CHINESE, "正式员工每周最多可以远程办公三天。 [1]"),
    ],
)
async def test_words_alone_carry_other_languages(model: ExtractiveModel, question: str, text: str, quoted: str) -> None:
    assert quoted in await _answer(model, question, text)


async def test_a_search_that_failed_is_not_taken_for_documents_without_an_answer(model: ExtractiveModel) -> None:
    failed = tool_message("failed", None, "Something that search_documents needs did not answer in time.")
    request = ChatRequest([Message("user", "How many days of leave?"), Message("tool", failed)], [SEARCH])
    with pytest.raises(LlmSearchFailed):
        await complete(model, request)


async def test_small_talk_is_not_searched_for(model: ExtractiveModel) -> None:
    completion = await complete(model, ChatRequest([Message("user", "Hello!")], [SEARCH]))
    assert not completion.tool_calls
    assert completion.text.startswith("Hello! I am EchoMind's built-in model")


async def test_a_follow_up_question_is_searched_with_the_previous_one(model: ExtractiveModel) -> None:
    async def query(question: str) -> str:
        messages = [
            Message("user", "How much annual leave do I get?"),
            Message("assistant", "30 days."),
            Message("user", "Thanks!"),
        ]
        request = ChatRequest([*messages, Message("assistant", "Sure."), Message("user", question)], [SEARCH])
        (call,) = (await complete(model, request)).tool_calls
        found: str = msgspec.json.decode(call.arguments)["query"]
        return found

    assert await query("And for part-timers?") == "How much annual leave do I get?\nAnd for part-timers?"
    assert await query("When does it expire?") == "How much annual leave do I get?\nWhen does it expire?"
    assert await query("Canteen opening hours?") == "Canteen opening hours?"


async def test_sources_in_an_assistants_template(model: ExtractiveModel) -> None:
    prompt = f"Answer from these:\n\n{render(_sources(LEAVE))}\n\nWhen is the canteen open?"
    completion = await complete(model, ChatRequest([Message("user", prompt)]))
    assert "do not contain" in completion.text
    prompt = prompt.replace("When is the canteen open?", "How many days of paid annual leave do employees get?")
    completion = await complete(model, ChatRequest([Message("user", prompt)], [SEARCH], tool_choice="none"))
    assert "30 days of paid annual leave per calendar year. [1]" in completion.text
