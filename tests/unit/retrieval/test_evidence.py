"""What counts as evidence, by embedding model and by the languages of question and passage."""

from echomind_lib.embeddings.model_ids import MINILM, MULTILINGUAL_E5
from echomind_lib.retrieval.evidence import ENGLISH_LIMIT, evidence_limit
from tests.drivers.tables import for_each


@for_each("language", ["en", "de", "zh", ""])
@for_each("model_id", [MINILM, "", "another"])
def test_other_models_have_one_limit(model_id: str, language: str) -> None:
    assert evidence_limit(model_id, frozenset({"de"}), language) is ENGLISH_LIMIT


def test_across_languages_no_words_are_expected() -> None:
    german = frozenset({"de"})
    same, other = (evidence_limit(MULTILINGUAL_E5, german, language) for language in ("de", "en"))
    assert not same.is_met(0.35, 0.0)
    assert other.is_met(0.35, 0.0)
    assert not other.is_met(0.2, 0.0)
    assert evidence_limit(MULTILINGUAL_E5, german, "zh").is_met(0.2, 0.0)
    assert evidence_limit(MULTILINGUAL_E5, frozenset({"zh"}), "de").is_met(0.2, 0.0)


def test_a_passage_in_a_possible_language_of_the_question_or_in_an_unknown_one_is_not_foreign() -> None:
    german = evidence_limit(MULTILINGUAL_E5, frozenset({"de"}), "de")
    assert evidence_limit(MULTILINGUAL_E5, frozenset({"en", "de"}), "en") == german
    assert evidence_limit(MULTILINGUAL_E5, frozenset({"de"}), "") == german


def test_without_a_vector_words_decide() -> None:
    assert ENGLISH_LIMIT.is_met(None, 0.4)
    assert not ENGLISH_LIMIT.is_met(None, 0.39)
