"""The lexical encoder: terms of every script, BM25's weights, one number a term."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_lib.retrieval import content_terms
from echomind_lib.retrieval.compounds import compound_parts
from echomind_lib.retrieval.language import SUPPORTED, document_language
from echomind_lib.retrieval.sparse import (
    AVERAGE_LENGTH,
    K1,
    B,
    encode_document,
    encode_query,
    normalize,
    term_id,
    terms,
)
from tests.drivers.tables import for_each


@for_each(
    ("text", "language", "expected"),
    [
        ("The runners were running in Zürich's 3.5 km_race", "en", ["runner", "run", "zürich", "3", "5", "km", "race"]),
        ("ＦＵＬＬ ﬁle NAÏVE naïve", "en", ["full", "file", "naïv", "naïv"]),
        ("Die Häuser der Straßen", "de", ["haus", "strass"]),
        ("L'avion d'Air France", "fr", ["avion", "air", "franc"]),
        ("北京大学 Python の本", "zh", ["北京", "京大", "大学", "python", "の本"]),
        ("한국어를", "ko", ["한국", "국어", "어를"]),
        ("Привет, Python-разработчики и the others", "ru", ["привет", "python", "разработчик", "other"]),
        ("हिन्दी भाषा।", "hi", ["हिन्द", "भाष"]),
        ("ภาษาไทย", "th", ["ภาษา", "ไทย"]),
        ("พนักงานลาพักร้อน 员工年假", "th", ["พนักงาน", "ลา", "พัก", "ร้อน", "员工", "工年", "年假"]),
        ("ISPARTA, İzmir", "tr", ["ıspar", "izmir"]),
        ("Der Urlaubsanspruch", "de", ["urlaubsanspruch", "urlaub", "anspruch"]),
        ("Urlaubsanspruch 员工", "de", ["urlaubsanspruch", "urlaub", "anspruch", "员工"]),
        ("本", "ja", ["本"]),
        ("", "en", []),
        ("the and of", "en", []),
        ("xyzzy plugh", "vi", ["xyzzy", "plugh"]),
    ],
)
def test_terms(text: str, language: str, expected: list[str]) -> None:
    assert list(terms(text, language)) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("ภาษาไทย", "th", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
        ("ISPARTA", "tr", ["ispar"]),
        ("Der Urlaubsanspruch", "de", ["urlaubsanspruch"]),
        ("Urlaubsanspruch 员工", "de", ["urlaubsanspruch", "员工"]),
    ],
)
def test_an_earlier_index_is_searched_as_it_was_built(text: str, language: str, expected: list[str]) -> None:
    assert list(terms(text, language, "bm25-1")) == expected
    assert set(encode_query(text, [language], "bm25-1").indices.tolist()) == set(map(term_id, expected))
    assert set(encode_document(text, language, "bm25-1").indices.tolist()) == set(map(term_id, expected))


@for_each(
    ("question", "text"),
    [
        ("Urlaubsanspruch", "Der Jahresurlaub beträgt dreißig Tage."),
        ("Jahresurlaub", "Der Urlaubsanspruch verfällt im März."),
        ("Wer zahlt die Reisekosten?", "Die Reisekostenabrechnung geht an die Buchhaltung."),
        ("Κανόνες άδειας", "ΑΔΕΙΑ ΤΩΝ ΥΠΑΛΛΗΛΩΝ"),
        ("إجازات الموظفين", "يحق لكل موظف إجازة سنوية"),
        ("ISPARTA", "ısparta gülü"),
    ],
)
def test_forms_and_compounds_share_a_term(question: str, text: str) -> None:
    language = document_language(text)
    assert set(terms(question, language)) & set(terms(text, language))


def test_english_has_the_same_terms_as_before() -> None:
    text = "Leave entitlements of International employees: 30 days, see Urlaubsanspruch."
    assert list(terms(text, "en")) == list(terms(text, "en", "bm25-1"))


@for_each(
    ("word", "parts"),
    [
        ("jahresurlaub", ("jahres", "urlaub")),
        ("reisekostenabrechnung", ("reisekosten", "reise", "kosten", "abrechnung")),
        ("kündigungsfristen", ("kündigung", "fristen")),
        ("universität", ()),
        ("verantwortung", ()),
        ("urlaub", ()),
        ("", ()),
        ("x" * 100_000, ()),
    ],
)
def test_parts_of_compounds(word: str, parts: tuple[str, ...]) -> None:
    assert compound_parts(word) == parts


def test_weights_are_bm25() -> None:
    text = "alpha beta beta gamma"
    vector = encode_document(text, "en")
    length = 4
    expected = {
        term_id(term): count * (K1 + 1) / (count + K1 * (1 - B + B * length / AVERAGE_LENGTH))
        for term, count in {"alpha": 1, "beta": 2, "gamma": 1}.items()
    }
    assert dict(zip(vector.indices.tolist(), vector.values.tolist(), strict=True)) == pytest.approx(expected, rel=1e-6)


def test_longer_passages_and_repetitions_count_less() -> None:
    def weight(text: str) -> float:
        vector = encode_document(text, "en")
        return float(vector.values[vector.indices == term_id("alpha")][0])

    once, twice, often = (weight("alpha " * times + "filler " * (20 - times)) for times in (1, 2, 10))
    assert once < twice < often < K1 + 1
    assert twice - once > weight("alpha " * 10 + "filler " * 10) - weight("alpha " * 9 + "filler " * 11)
    assert weight("alpha " + "filler " * 200) < once


def test_terms_with_the_same_number_are_one() -> None:
    # Two words of equal CRC-32.
    assert term_id("plumless") == term_id("buckeroo")
    vector = encode_document("plumless buckeroo", "xx")
    assert len(vector.indices) == 1
    assert len(encode_query("plumless buckeroo", ["xx"]).indices) == 1


def test_question_is_looked_for_in_all_readings() -> None:
    vector = encode_query("Häuser", ("de", "en"))
    assert set(vector.indices.tolist()) == {term_id("haus"), term_id("häuser")}
    assert set(vector.values.tolist()) == {1.0}
    assert len(encode_query("the", ["en"]).indices) == 0


@given(st.text(max_size=300), st.sampled_from(sorted(SUPPORTED)))
def test_vectors_of_any_text_are_well_formed(text: str, language: str) -> None:
    for vector in (encode_document(text, language), encode_query(text, [language, "en"])):
        assert len(vector.indices) == len(vector.values)
        assert np.all(np.diff(vector.indices.astype(np.int64)) > 0)
        assert np.all(vector.values > 0)
        assert vector.indices.dtype == np.uint32
        assert not math.isnan(float(vector.values.sum()))


@given(st.text(max_size=200))
def test_ways_to_write_a_text_make_no_difference(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)
    assert list(terms(text, "en")) == list(terms(normalize(text), "en"))


def test_content_terms_of_a_sentence() -> None:
    assert content_terms("How many days of leave do we get?") == {"mani", "day", "leav", "get"}
    assert content_terms("Wie viele Urlaubstage haben die Mitarbeiter?") >= {"urlaubstag", "mitarbeit"}
    assert content_terms("员工有几天假?") == {"员工", "工有", "有几", "几天", "天假"}
