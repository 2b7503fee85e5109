"""Languages of documents and questions."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_lib.retrieval import language as language_model
from echomind_lib.retrieval.language import SUPPORTED, document_language, query_language
from tests.drivers.tables import for_each

TEXTS = {
    "en": "Employees receive twenty-eight days of paid leave each year and may carry some of them over.",
    "de": "Die Beschäftigten erhalten in jedem Jahr achtundzwanzig Tage bezahlten Urlaub.",
    "fr": "Les employés reçoivent chaque année vingt-huit jours de congés payés.",
    "es": "Los empleados reciben cada año veintiocho días de vacaciones pagadas.",
    "it": "I dipendenti ricevono ogni anno ventotto giorni di ferie retribuite.",
    "nl": "Werknemers krijgen elk jaar achtentwintig betaalde vakantiedagen.",
    "pl": "Pracownicy otrzymują co roku dwadzieścia osiem dni płatnego urlopu.",
    "ru": "Сотрудники ежегодно получают двадцать восемь дней оплачиваемого отпуска.",
    "uk": "Працівники щороку отримують двадцять вісім днів оплачуваної відпустки.",
    "el": "Οι εργαζόμενοι λαμβάνουν κάθε χρόνο είκοσι οκτώ ημέρες άδειας με αποδοχές.",
    "ar": "يحصل الموظفون على ثمانية وعشرين يوما من الإجازة المدفوعة كل عام.",
    "he": "העובדים מקבלים עשרים ושמונה ימי חופשה בתשלום בכל שנה.",
    "hi": "कर्मचारियों को हर साल अट्ठाईस दिन की सवेतन छुट्टी मिलती है।",
    "th": "พนักงานได้รับวันลาพักร้อนโดยได้รับค่าจ้างยี่สิบแปดวันต่อปี",
    "zh": "员工每年享有二十八天的带薪休假。",
    "ja": "従業員は毎年二十八日の有給休暇を取得します。",
    "ko": "직원들은 매년 이십팔 일의 유급 휴가를 받습니다.",
}


@for_each("language", TEXTS)
def test_documents(language: str) -> None:
    assert document_language(TEXTS[language]) == language


@for_each("language", TEXTS)
def test_questions(language: str) -> None:
    found = query_language(TEXTS[language])
    assert found.language == language
    assert found.readings[0] == language


@for_each("text", ["parking", "SQL", "mach number", "invoice 2024", "K8s", "", "?", "42", "wing flutter"])
def test_short_questions_are_english_if_in_doubt(text: str) -> None:
    found = query_language(text)
    assert found.language == "en"
    assert found.readings[0] == "en"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Kündigungsfrist", "de"),
        ("contrat de travail", "fr"),
        ("días de vacaciones", "es"),
        ("有給休暇の日数", "ja"),
    ],
)
def test_short_questions_in_other_languages(text: str, language: str) -> None:
    found = query_language(text)
    assert found.language == language
    assert language == "ja" or "en" in found.readings
    assert language in found.likely


def test_a_sentence_suggests_its_language_alone() -> None:
    found = query_language("Wie viele Tage Urlaub bekommen neue Beschäftigte im ersten Jahr?")
    assert found.readings == ("de", "en")
    assert found.likely == frozenset({"de"})


def test_larger_part_decides() -> None:
    assert document_language("员工每年享有二十八天的带薪休假。" * 5 + " Python 3.11") == "zh"
    assert document_language(TEXTS["en"] * 5 + "员工") == "en"


@given(st.text())
def test_any_text_has_a_language(text: str) -> None:
    assert document_language(text) in SUPPORTED
    found = query_language(text)
    assert found.language == found.readings[0]
    assert len(set(found.readings)) == len(found.readings)
    assert set(found.readings) <= SUPPORTED


def test_threads_that_need_the_model_at_once_load_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from py3langid import modelio  # type: ignore[import-untyped]

    loaded, load_model = [], modelio.load_model

    def counted(path: object) -> object:
        loaded.append(path)
        return load_model(path)

    monkeypatch.setattr(modelio, "load_model", counted)
    language_model._load.cache_clear()
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(document_language, [TEXTS["de"]] * 4)) == {"de"}
    assert len(loaded) == 1
