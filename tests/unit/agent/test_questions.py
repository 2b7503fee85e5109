"""What a question asks for."""

from echomind_agent.extractive.questions import (
    asks_for_list,
    completed,
    is_about_another,
    is_of_names_alone,
    repeats,
    requirement,
)
from echomind_agent.extractive.quotes import Quote
from tests.drivers.tables import for_each


@for_each(
    ("language", "question", "quoted", "holds"),
    [
        ("en", "How many people work there?", "About 40 people work there.", True),
        ("en", "When is invoice 2026-0417 payable?", "INVOICE No. 2026-0417", False),
        ("en", "When is invoice 2026-0417 payable?", "Invoice 2026-0417: within 21 days", True),
        ("en", "When will the Albatros 3 be launched?", "Albatros 3 launch plan", False),
        ("en", "When will the Albatros 3 be launched?", "Albatros 3: 12 September", True),
        ("en", "How many people work there?", "Several people work there.", True),
        ("en", "How many people work there?", "A year later people worked there in the evening.", False),
        ("de", "Wie viele Baumarten gibt es dort?", "Dort gibt es zwölf Baumarten.", True),
        ("de", "Wie viele Baumarten gibt es dort?", "Während der Jahre starb eine der Baumarten.", False),
        ("en", "In what year was the act passed?", "The act was passed in 1996.", True),
        ("en", "In what year was the act passed?", "It was passed in the last century.", True),
        ("en", "In what year was the act passed?", "In the final years of that era it was passed.", False),
        ("de", "In welchem Jahr wurde es beschlossen?", "Es wurde Jahre später beschlossen.", False),
        ("zh", "法案是哪一年通过的？", "法案于1996年通过。", True),
        ("zh", "法案是哪一年通过的？", "法案几年后通过。", False),
        ("en", "Who paid for it?", "It was paid by the council.", True),
        ("en", "Who paid Josh Norman?", "Then Josh Norman was paid in May.", False),
        ("en", "Who paid Josh Norman?", "Then Josh Norman was paid in Denver by Smith.", True),
        ("de", "Wer bezahlt die Übung im Oktober?", "Die Übung findet jedes Jahr im Oktober statt.", False),
        ("de", "Wer bezahlt die Übung im Oktober?", "Mitglieder bezahlen die Übung.", True),
        ("de", "Wer bezahlt die Übung im Oktober?", "Sie wird von Frau Otto bezahlt.", True),
        ("en", "What was the town's population in 1901?", "Its population has always been of many faiths.", False),
        ("en", "What was the town's population in 1901?", "In 1901 it had 4,120 inhabitants.", True),
        ("de", "Was ist die Höhe des Turms?", "Die Höhe des Turms erstaunt die Besucher.", False),
        ("en", "What is the price of freedom?", "The price was one life.", True),
        ("en", "What happened there?", "Nothing of note happened there.", True),
    ],
)
def test_a_quotation_has_the_number_that_is_asked_for(language: str, question: str, quoted: str, holds: bool) -> None:
    assert requirement(question, language)(Quote(1, quoted, "", "")) is holds


@for_each(
    ("question", "row", "title", "holds"),
    [
        ("How many bikes were sold in Germany in Q1?", "Region: Germany; Sold: 5120", "Report", True),
        ("How many bikes were sold in Germany in 2026?", "Region: Germany; Sold: 5120", "Report", True),
        ("How many bikes were sold in Germany in 2026?", "Region: Germany; Year: 2025; Sold: 4870", "Report", False),
        ("How many bikes were sold in quarter 1?", "Region: Germany; Sold: 5120", "Report of quarter 1", True),
        ("Who pays for row 7?", "Row: 2; Payer: Anna", "Report", False),
        ("Who pays for row 7?", "Row: 7; Payer: Anna", "Report", True),
    ],
)
def test_a_row_has_the_numbers_that_do_not_stand_above_it(question: str, row: str, title: str, holds: bool) -> None:
    assert requirement(question, "en")(Quote(1, row, title, "", table="Region")) is holds


@for_each(
    ("language", "question", "text", "is_another"),
    [
        ("en", "What colours had the logo in 2001?", "In 1998 the logo was yellow.", True),
        ("en", "What colours had the logo in 2001?", "In 1998 and 2001 the logo was yellow.", False),
        # It says nothing of when.
        ("en", "What colours had the logo in 2001?", "The logo was yellow.", False),
        ("en", "How many days of leave do I get in 2026?", "Since 1 January 2022 everybody has 30 days.", False),
        ("de", "Wie viele Urlaubstage habe ich 2026?", "Ab dem Jahr 2022 sind es 30 Tage.", False),
        ("en", "How many days of leave did I get in 2020?", "Since 1 January 2022 everybody has 30 days.", True),
        ("de", "Wie hoch ist das Tagegeld in der Schweiz 2026?", "Das Tagegeld ist 64 Euro.", False),
        ("de", "Wie hoch ist das Tagegeld in der Schweiz 2026?", "Das Tagegeld war 2024 64 Euro.", True),
        ("en", "What is Route 168 called?", "Route 99 is called the Golden State Highway.", True),
        ("en", "What is Route 168 called?", "Routes 99 and 168 are highways.", False),
        ("en", "What was tested on the LC-34?", "The test began on 27 January.", True),
        # An amount is compared, or computed with.
        ("en", "Are 5 days of leave enough?", "Everybody has 30 days.", False),
        ("en", "What costs a parcel of 7 kg?", "Up to 10 kg it is 9 euro.", False),
        # Whom it is asked for, or with what.
        ("en", "Are hotel costs paid back for family members?", "Hotel costs are paid back.", True),
        ("en", "Are hotel costs paid back for employees?", "Hotel costs of every employee are paid back.", False),
        ("en", "Can I pay with a card?", "You can pay with cash.", True),
        ("de", "Werden Hotelkosten für Angehörige erstattet?", "Hotelkosten werden erstattet.", True),
        ("de", "Werden Hotelkosten für Angehörige erstattet?", "Kosten von Angehörigen werden erstattet.", False),
        ("de", "Was war die Gebühr für Gäste?", "Die Gebühr war 5 Euro.", False),
        ("zh", "2015年谁赢了？", "1998年野马队赢了。", True),
    ],
)
def test_a_text_about_another_year_or_number(language: str, question: str, text: str, is_another: bool) -> None:
    assert is_about_another(question, text, language) is is_another


@for_each(
    ("question", "quoted", "says_nothing"),
    [
        ("What is the budget of the roadmap?", "Roadmap", True),
        ("What is the budget of the roadmap?", "Budget of the roadmap: 9 million", False),
        ("What is the budget of the roadmap?", "It is 9 million.", False),
        ("Are dogs allowed?", "Dogs allowed", False),
        ("What is allowed for dogs?", "Dogs are allowed.", False),
    ],
)
def test_a_title_that_says_nothing_beyond_the_question(question: str, quoted: str, says_nothing: bool) -> None:
    assert repeats(question, Quote(1, quoted, "", ""), "en") is says_nothing


@for_each(
    ("language", "question", "text", "is_alone"),
    [
        ("en", "Who is the CEO of Northwind Bicycles?", "Northwind Bicycles GmbH employs 240 people.", True),
        ("en", "Who is the CEO of Northwind Bicycles?", "Anna Bell is CEO. She founded Northwind Bicycles.", False),
        ("en", "Who designed the roof of Arena North?", "The designer of Arena North is Ito.", False),
        ("en", "How many people work at Northwind Bicycles?", "Northwind Bicycles has 240 employees.", False),
        ("de", "Wer ist der Zeugwart des Ruderclubs Elbe?", "Der Ruderclub Elbe hat 180 Mitglieder.", True),
        ("de", "Wer ist Vorsitzender der Kolibri Druck GmbH?", "Herr Uhl ist Betriebsratsvorsitzender.", False),
        ("de", "Wer haftet bei Diebstahl?", "Für Diebstahl kommt der Mieter auf.", False),
        ("fr", "Qui est le directeur de Lafitte SA ?", "Lafitte SA emploie 20 personnes.", False),
    ],
)
def test_the_name_of_a_company_alone_tells_nothing_of_its_people(
    language: str, question: str, text: str, is_alone: bool
) -> None:
    assert is_of_names_alone(question, text, language) is is_alone


@for_each(
    ("question", "heading", "asks"),
    [
        ("Which risks does the launch have?", "Risks", True),
        ("What are the risks?", "Risks", True),
        ("Which risk has the motor?", "Risks", False),
        ("Which risks does the launch have?", "Open points", False),
        ("When do the risks end?", "Risks", False),
    ],
)
def test_a_question_for_what_stands_below_a_heading(question: str, heading: str, asks: bool) -> None:
    lines = ("The motor is late", "The certificate is missing")
    items = [Quote(1, line, f"{heading} Launch plan", heading, "-", 0) for line in lines]
    assert asks_for_list(question, items, "en") is asks


@for_each(
    ("question", "earlier", "expected"),
    [
        ("And in May?", ["How many were sold in April?"], "How many were sold in April in May?"),
        ("And in 2026?", ["How many were sold in 2025?"], "How many were sold in  in 2026?"),
        ("And how often does she check?", ["Who is the officer?"], "how often does she check?"),
        ("What about guests?", ["How high is the fee?"], "How high is the fee What about guests?"),
        ("Und wann?", ["Wer kommt?", "Und wohin?"], "wann?"),
        ("And now?", [], "And now?"),
    ],
)
def test_a_follow_up_asks_for_what_it_or_the_previous_one_names(
    question: str, earlier: list[str], expected: str
) -> None:
    assert completed(question, earlier) == expected


@for_each(
    ("language", "question", "is_fit"),
    [
        ("en", "Who wrote about the tyres?", True),
        ("de", "Wann kam die Nachricht?", True),
        ("en", "What is the sender's address?", True),
        ("en", "What is the payment term of Schwalbe?", False),
    ],
)
def test_the_headers_of_an_email_answer_who_and_when(language: str, question: str, is_fit: bool) -> None:
    header = Quote(1, "From: Katrin <k@schwalbe.example> Date: 5 Mar 2026", "", "", is_mail_header=True)
    assert requirement(question, language)(header) is is_fit
