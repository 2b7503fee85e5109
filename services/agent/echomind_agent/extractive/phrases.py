"""The phrases of the built-in model and the small talk that it answers, by language."""

import re
import unicodedata
from typing import Literal, NamedTuple

Talk = Literal["greeting", "thanks", "farewell", "help"]


class _Phrases(NamedTuple):
    inputs: dict[Talk, str]
    """Phrases of users, separated by `|`; a message matches only if it contains nothing else."""
    replies: dict[Talk, str]
    declined: str
    quoted: str
    """Introduces quotations in another language."""


_QUOTES = {
    "de": "Ich bin das eingebaute Modell von EchoMind: Ich suche in Ihren Dokumenten und antworte mit Zitaten daraus. "
    "Für ausformulierte Antworten kann ein Sprachmodell angeschlossen werden.",
    "en": "I am EchoMind's built-in model: I search your documents and answer with quotations from them. "
    "For answers in its own words, a language model can be connected.",
    "es": "Soy el modelo integrado de EchoMind: busco en sus documentos y respondo con citas de ellos. "
    "Para respuestas redactadas se puede conectar un modelo de lenguaje.",
    "fr": "Je suis le modèle intégré d'EchoMind : je cherche dans vos documents et je réponds par des citations. "
    "Pour des réponses rédigées, on peut connecter un modèle de langage.",
    "it": "Sono il modello integrato di EchoMind: cerco nei suoi documenti e rispondo con citazioni. "
    "Per risposte formulate si può collegare un modello linguistico.",
    "ja": "EchoMindの内蔵モデルです。お手元の文書を検索し、引用でお答えします。"
    "文章での回答には言語モデルを接続できます。",
    "nl": "Ik ben het ingebouwde model van EchoMind: ik zoek in uw documenten en antwoord met citaten daaruit. "
    "Voor uitgeschreven antwoorden kan een taalmodel worden aangesloten.",
    "pl": "Jestem wbudowanym modelem EchoMind: przeszukuję Twoje dokumenty i odpowiadam cytatami z nich. "
    "Aby otrzymywać odpowiedzi własnymi słowami, można podłączyć model językowy.",
    "pt": "Sou o modelo integrado do EchoMind: procuro nos seus documentos e respondo com citações deles. "
    "Para respostas redigidas, pode ligar-se um modelo de linguagem.",
    "ru": "Я встроенная модель EchoMind: ищу в ваших документах и отвечаю цитатами из них. "
    "Чтобы получать ответы своими словами, можно подключить языковую модель.",
    "zh": "我是EchoMind的内置模型：我在您的文档中搜索，并引用其中的内容来回答。如需成文的回答，可以接入语言模型。",
}

_PHRASES = {
    "de": _Phrases(
        {
            "greeting": "hallo|hallo zusammen|guten tag|guten morgen|guten abend|moin|servus|grüß gott|grüezi",
            "thanks": "danke|danke schön|dankeschön|danke sehr|vielen dank|besten dank|danke dir|super danke",
            "farewell": "tschüss|auf wiedersehen|bis bald|bis dann|ciao",
            "help": "hilfe|wer bist du|wer sind sie|was kannst du|was können sie|was kannst du tun|wie geht das"
            "|wie geht es dir|wie geht's",
        },
        {
            "greeting": "Guten Tag! {quotes} Was möchten Sie wissen?",
            "thanks": "Gern geschehen. Fragen Sie gern weiter.",
            "farewell": "Auf Wiedersehen!",
            "help": "{quotes} Stellen Sie eine Frage, die ein Satz in Ihren Dokumenten beantwortet.",
        },
        "Ihre Dokumente enthalten darauf keine Antwort, die ich zitieren könnte.",
        "Zitate in der Sprache der Dokumente ({language}):",
    ),
    "en": _Phrases(
        {
            "greeting": "hello|hello there|hello echomind|hi|hi there|hey|hey there|hiya|good morning|good afternoon"
            "|good evening|good day|greetings|howdy",
            "thanks": "thanks|thank you|thanks a lot|many thanks|thank you very much|thank you so much|thx|cheers|ty"
            "|great thanks|ok thanks|okay thanks|perfect thanks|great thank you|ok thank you",
            "farewell": "bye|bye bye|goodbye|good bye|see you|see you later|good night",
            "help": "help|who are you|what are you|what can you do|what do you do|how are you|how does this work"
            "|what is this|test|testing",
        },
        {
            "greeting": "Hello! {quotes} What would you like to know?",
            "thanks": "You are welcome. Ask me anything else about your documents.",
            "farewell": "Goodbye!",
            "help": "{quotes} Ask a question that a sentence of your documents answers.",
        },
        "Your documents do not contain an answer that I could quote.",
        "Quoted in the documents’ language ({language}):",
    ),
    "es": _Phrases(
        {
            "greeting": "hola|buenos días|buenas tardes|buenas noches|buenas|qué tal",
            "thanks": "gracias|muchas gracias|mil gracias",
            "farewell": "adiós|hasta luego|hasta pronto|chao",
            "help": "ayuda|quién eres|qué puedes hacer|qué eres|cómo estás",
        },
        {
            "greeting": "¡Hola! {quotes} ¿Qué quiere saber?",
            "thanks": "De nada. Pregunte lo que quiera sobre sus documentos.",
            "farewell": "¡Hasta luego!",
            "help": "{quotes} Haga una pregunta que responda una frase de sus documentos.",
        },
        "Sus documentos no contienen una respuesta que yo pueda citar.",
        "Citas en el idioma de los documentos ({language}):",
    ),
    "fr": _Phrases(
        {
            "greeting": "bonjour|bonsoir|salut|coucou",
            "thanks": "merci|merci beaucoup|merci bien|un grand merci",
            "farewell": "au revoir|à bientôt|bonne nuit|à plus",
            "help": "aide|qui es-tu|qui êtes-vous|que peux-tu faire|que pouvez-vous faire|ça va|comment ça marche",
        },
        {
            "greeting": "Bonjour ! {quotes} Que voulez-vous savoir ?",
            "thanks": "Je vous en prie. Posez-moi d'autres questions sur vos documents.",
            "farewell": "Au revoir !",
            "help": "{quotes} Posez une question à laquelle une phrase de vos documents répond.",
        },
        "Vos documents ne contiennent pas de réponse que je puisse citer.",
        "Citations dans la langue des documents ({language}) :",
    ),
    "it": _Phrases(
        {
            "greeting": "buongiorno|buonasera|buon giorno|buona sera|salve",
            "thanks": "grazie|grazie mille|molte grazie",
            "farewell": "arrivederci|a presto|buonanotte",
            "help": "aiuto|chi sei|cosa puoi fare|come stai",
        },
        {
            "greeting": "Buongiorno! {quotes} Che cosa vuole sapere?",
            "thanks": "Prego. Chieda pure altro sui suoi documenti.",
            "farewell": "Arrivederci!",
            "help": "{quotes} Faccia una domanda a cui risponde una frase dei suoi documenti.",
        },
        "I suoi documenti non contengono una risposta che io possa citare.",
        "Citazioni nella lingua dei documenti ({language}):",
    ),
    "ja": _Phrases(
        {
            "greeting": "こんにちは|おはよう|おはようございます|こんばんは|やあ|もしもし",
            "thanks": "ありがとう|ありがとうございます|ありがとうございました|どうも|感謝します",
            "farewell": "さようなら|またね|おやすみなさい",
            "help": "ヘルプ|助けて|あなたは誰ですか|何ができますか|使い方",
        },
        {
            "greeting": "こんにちは。{quotes}何をお調べしますか。",
            "thanks": "どういたしまして。文書について、ほかにもお尋ねください。",
            "farewell": "さようなら。",
            "help": "{quotes}文書の一文で答えられる質問をしてください。",
        },
        "お手元の文書には、引用できる回答がありません。",
        "文書の言語（{language}）で引用します：",
    ),
    "nl": _Phrases(
        {
            "greeting": "goedendag|goedemorgen|goedemiddag|goedenavond|hoi|dag",
            "thanks": "bedankt|dank je|dank je wel|dank u|dank u wel|hartelijk dank",
            "farewell": "tot ziens|doei|tot straks",
            "help": "wie ben je|wie bent u|wat kun je|wat kunt u|hoe gaat het",
        },
        {
            "greeting": "Goedendag! {quotes} Wat wilt u weten?",
            "thanks": "Graag gedaan. Vraag gerust verder.",
            "farewell": "Tot ziens!",
            "help": "{quotes} Stel een vraag die een zin in uw documenten beantwoordt.",
        },
        "Uw documenten bevatten geen antwoord dat ik kan citeren.",
        "Citaten in de taal van de documenten ({language}):",
    ),
    "pl": _Phrases(
        {
            "greeting": "cześć|dzień dobry|dobry wieczór|witam|hej",
            "thanks": "dziękuję|dzięki|dziękuję bardzo",
            "farewell": "do widzenia|na razie|dobranoc",
            "help": "pomoc|kim jesteś|co potrafisz|co możesz zrobić",
        },
        {
            "greeting": "Dzień dobry! {quotes} O co chcesz zapytać?",
            "thanks": "Proszę bardzo. Pytaj śmiało dalej.",
            "farewell": "Do widzenia!",
            "help": "{quotes} Zadaj pytanie, na które odpowiada zdanie w Twoich dokumentach.",
        },
        "Twoje dokumenty nie zawierają odpowiedzi, którą mógłbym zacytować.",
        "Cytaty w języku dokumentów ({language}):",
    ),
    "pt": _Phrases(
        {
            "greeting": "olá|oi|bom dia|boa tarde|boa noite",
            "thanks": "obrigado|obrigada|muito obrigado|muito obrigada",
            "farewell": "tchau|até logo|até breve|adeus",
            "help": "ajuda|quem é você|quem és tu|o que você pode fazer|o que podes fazer|tudo bem",
        },
        {
            "greeting": "Olá! {quotes} O que deseja saber?",
            "thanks": "De nada. Pergunte o que quiser sobre os seus documentos.",
            "farewell": "Até logo!",
            "help": "{quotes} Faça uma pergunta a que uma frase dos seus documentos responda.",
        },
        "Os seus documentos não contêm uma resposta que eu possa citar.",
        "Citações na língua dos documentos ({language}):",
    ),
    "ru": _Phrases(
        {
            "greeting": "привет|здравствуйте|здравствуй|добрый день|доброе утро|добрый вечер",
            "thanks": "спасибо|большое спасибо|спасибо большое|благодарю",
            "farewell": "пока|до свидания|спокойной ночи",
            "help": "помощь|помоги|кто ты|что ты умеешь|что вы умеете|как дела",
        },
        {
            "greeting": "Здравствуйте! {quotes} Что вы хотите узнать?",
            "thanks": "Пожалуйста. Спрашивайте ещё.",
            "farewell": "До свидания!",
            "help": "{quotes} Задайте вопрос, на который отвечает предложение из ваших документов.",
        },
        "В ваших документах нет ответа, который я мог бы процитировать.",
        "Цитаты на языке документов ({language}):",
    ),
    "zh": _Phrases(
        {
            "greeting": "你好|您好|嗨|早上好|下午好|晚上好|哈喽|大家好",
            "thanks": "谢谢|谢谢你|谢谢您|多谢|非常感谢|感谢",
            "farewell": "再见|拜拜|晚安",
            "help": "帮助|你是谁|您是谁|你能做什么|您能做什么|你会什么|怎么用",
        },
        {
            "greeting": "您好！{quotes}您想了解什么？",
            "thanks": "不客气。欢迎继续提问。",
            "farewell": "再见！",
            "help": "{quotes}请提出文档中某一句话能回答的问题。",
        },
        "您的文档中没有我可以引用的答案。",
        "以下引文使用文档的语言（{language}）：",
    ),
}
_DEFAULT = "en"
DECLINED = frozenset(phrases.declined for phrases in _PHRASES.values())
"""All texts that `declined` returns."""
_PAUSE = re.compile(r"[.,!?;:，。！？、\n]+")
_NOT_A_WORD = re.compile(r"[^\w\s'-]|_")


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return " ".join(_NOT_A_WORD.sub(" ", text).split())


_INPUTS: dict[str, tuple[str, Talk]] = {
    _plain(phrase): (language, talk)
    for language, phrases in _PHRASES.items()
    for talk, inputs in phrases.inputs.items()
    for phrase in inputs.split("|")
}
_LONGEST = 80
"""Maximum length of small talk in code points."""


def small_talk(message: str) -> str | None:
    """Returns the reply to a mere greeting, thanks, farewell or request for help; None for other messages."""
    if len(message) > _LONGEST:
        return None
    inputs = [_INPUTS.get(part) for part in map(_plain, _PAUSE.split(message)) if part and part != "echomind"]
    if not inputs or None in inputs:
        return None
    # Of several phrases, such as "Hello! Who are you?", the last one is answered.
    language, talk = inputs[-1]  # type: ignore[misc]
    return _PHRASES[language].replies[talk].format(quotes=_QUOTES[language])


def declined(language: str) -> str:
    """Returns the text for questions that the documents do not answer, in this language, otherwise in English."""
    return _PHRASES.get(language, _PHRASES[_DEFAULT]).declined


def quoted_language(language: str, foreign: str) -> str:
    """Returns the paragraph that introduces quotations in another language, which it names in the question's.

    Args:
        language: That of the question.
        foreign: The other one.
    """
    from babel import Locale  # only where languages are mixed

    code = language if language in _PHRASES else _DEFAULT
    name = Locale(code).languages.get(foreign, foreign)
    return _PHRASES[code].quoted.format(language=name) + "\n\n"
