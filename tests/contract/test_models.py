"""Parsing of models: both spellings, rows of the database, partial updates, and invalid input."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError
from sqlalchemy import BigInteger, DateTime, Text, create_engine, text
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from echomind_lib.models import public
from tests.drivers.tables import for_each


class Base(DeclarativeBase):
    """Of the rows below."""


class ConnectorRow(Base):
    """Some columns of a connector."""

    __tablename__ = "connectors"
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    type: Mapped[str] = mapped_column(Text)
    scope: Mapped[str] = mapped_column(Text)
    scope_id: Mapped[str | None] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text)
    docs_analyzed: Mapped[int] = mapped_column(BigInteger)
    creation_date: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    deleted_date: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))


def errors_of(caught: pytest.ExceptionInfo[ValidationError]) -> dict[str, str]:
    """Places and kinds of the errors."""
    return {".".join(map(str, error["loc"])): error["type"] for error in caught.value.errors()}


def test_both_spellings_are_read_and_one_is_written(sample: SimpleNamespace) -> None:
    everything = sample.models.Everything
    for data in ({"optionalString": "a", "line2": "b"}, {"optional_string": "a", "line_2": "b"}):
        model = everything.model_validate(data)
        assert (model.optional_string, model.line_2) == ("a", "b")
        assert b'"optionalString":"a"' in model.to_json()
        assert b'"line2":"b"' in model.to_json()


def test_names_that_python_has_already(sample: SimpleNamespace) -> None:
    data = {"from": "a", "json": "b", "modelDump": "c", "list": "d", "str": "e"}
    model = sample.models.Everything.model_validate(data)
    assert (model.from_, model.json_, model.model_dump_, model.list_, model.str_) == ("a", "b", "c", "d", "e")
    assert sample.models.Everything.model_validate({"model_dump": "c"}).model_dump_ == "c"
    message = model.to_pb()
    assert getattr(message, "from") == "a"
    assert sample.models.Everything.from_pb(message) == model


def test_unknown_fields_are_refused_by_name(sample: SimpleNamespace) -> None:
    with pytest.raises(ValidationError) as caught:
        sample.models.Everything.model_validate({"inner": {"nmae": "x"}, "Colour": 1})
    assert errors_of(caught) == dict.fromkeys(["inner.nmae", "Colour"], "extra_forbidden")


def test_a_name_cannot_look_like_another_one() -> None:
    data = {"name": "invoice\u202efdp.exe\u2066 \u2069", "type": "CONNECTOR_TYPE_FILE"}
    assert public.Connector.model_validate(data).name == "invoicefdp.exe "
    assert (
        public.Connector.model_validate({"name": "مرحبا بالعالم", "type": "CONNECTOR_TYPE_FILE"}).name
        == "مرحبا بالعالم"
    )
    user = {"userName": "bob", "email": "bob@x", "firstName": "\u202dBob", "groups": ["nor\u2069th"]}
    assert public.User.model_validate(user).first_name == "Bob"
    assert public.User.model_validate(user).groups == ["north"]
    with pytest.raises(ValidationError):
        public.Connector.model_validate({"name": "\u202e", "type": "CONNECTOR_TYPE_FILE"})


def test_null_means_the_default(sample: SimpleNamespace) -> None:
    model = sample.models.Everything.model_validate_json('{"int32": null, "str": null, "inner": null, "colours": null}')
    assert model == sample.models.Everything()


@for_each(
    "data",
    [
        {"int64": "1.5"},
        {"int64": 2**63},
        {"uint32": -1},
        {"bool": "maybe"},
        {"bytes": "?"},
        {"at": "yesterday"},
        {"at": "2026-01-01T00:00:00"},
        {"took": "5"},
        {"took": "1000000000000s"},
        {"colour": "RED"},
        {"colour": "red"},
        {"colour": 99},
        {"inner": "x"},
        {"inner": ["x"]},
        {"labels": {"a": 1}},
        {"mask": 5},
    ],
)
def test_wrong_values_are_refused(sample: SimpleNamespace, data: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        sample.models.Everything.model_validate(data)


def test_an_enum_is_closed(sample: SimpleNamespace) -> None:
    everything = sample.models.Everything
    assert everything.model_validate({"colour": 2}).colour is sample.models.Colour.DARK_GREEN
    assert everything.model_validate_json('{"colour": 2}').colour is sample.models.Colour.DARK_GREEN
    for number in (99, -1):
        with pytest.raises(ValidationError) as caught:
            everything.from_pb(sample.pb.Everything(colour=number))
        assert errors_of(caught) == {"colour": "enum"}


def test_words_of_an_enum(sample: SimpleNamespace) -> None:
    colour = sample.models.Colour
    assert [member.word for member in colour] == ["unspecified", "red", "dark_green", "colour_3d"]
    assert [colour.from_word(member.word) for member in colour] == list(colour)
    for word in ("", "RED", "COLOUR_RED", "blue", "mro", "__class__"):
        with pytest.raises(ValueError, match="Colour has no"):
            colour.from_word(word)


def test_a_row_of_sqlalchemy() -> None:
    moment = datetime(2026, 5, 4, 3, 2, 1, 6, UTC)
    row = ConnectorRow(
        id=7,
        name="n",
        type="google_drive",
        scope="group",
        scope_id=None,
        status="active",
        docs_analyzed=2**40,
        creation_date=moment,
    )
    model = public.Connector.model_validate(row, from_attributes=True)
    assert (model.type, model.scope, model.status) == (
        public.ConnectorType.GOOGLE_DRIVE,
        public.Scope.GROUP,
        public.ConnectorStatus.ACTIVE,
    )
    assert (model.id, model.scope_id, model.docs_analyzed, model.creation_date) == (7, "", 2**40, moment)
    assert b'"docsAnalyzed":"1099511627776"' in model.to_json()
    assert b'"creationDate":"2026-05-04T03:02:01.000006Z"' in model.to_json()


def test_a_row_that_was_queried() -> None:
    engine = create_engine("sqlite://")
    with Session(engine) as session:
        row = session.execute(text("SELECT 7 AS id, 'n' AS name, 'web' AS type, 'org' AS scope")).one()
        mapping = session.execute(text("SELECT 7 AS id, 'n' AS name, 'web' AS type, 'org' AS scope")).mappings().one()
    engine.dispose()
    expected = public.Connector(id=7, name="n", type=public.ConnectorType.WEB, scope=public.Scope.ORG)
    assert public.Connector.model_validate(row, from_attributes=True) == expected
    assert public.Connector.model_validate(mapping, from_attributes=True) == expected


def test_a_row_with_lists_members_and_uuids() -> None:
    @dataclass
    class UserRow:
        id: int
        user_name: str
        email: str
        roles: list[str]
        preferences: dict[str, Any]

    @dataclass
    class RunRow:
        id: uuid.UUID
        status: public.RunStatus
        parent_run_id: uuid.UUID | None
        cost: Decimal

    user = public.User.model_validate(
        UserRow(1, "kim", "kim@example.org", ["user", "admin"], {"theme": "THEME_DARK"}), from_attributes=True
    )
    assert user.roles == [public.Role.USER, public.Role.ADMIN]
    assert user.preferences == public.Preferences(theme=public.Theme.DARK)
    identifier = uuid.uuid4()
    run = public.Run.model_validate(
        RunRow(identifier, public.RunStatus.WAITING_FOR_INPUT, None, Decimal("0.25")), from_attributes=True
    )
    assert (run.id, run.parent_run_id, run.status, run.cost) == (
        str(identifier),
        "",
        public.RunStatus.WAITING_FOR_INPUT,
        0.25,
    )


@pytest.mark.parametrize("word", ["Group", "SCOPE_GROUP", "nobody"])
def test_a_row_with_a_wrong_word(word: str) -> None:
    @dataclass
    class Row:
        scope: str
        name: str = "n"
        type: str = "web"

    with pytest.raises(ValidationError, match="Scope has no"):
        public.Connector.model_validate(Row(word), from_attributes=True)


def test_words_and_rows_are_not_read_from_elsewhere() -> None:
    reads: list[Callable[[], public.Connector]] = [
        lambda: public.Connector.model_validate({"name": "n", "type": "web"}),
        lambda: public.Connector.model_validate({"name": "n", "type": "web"}, from_attributes=True),
        lambda: public.Connector.model_validate_json('{"name": "n", "type": "web"}'),
        lambda: public.Connector(name="n", type="web"),  # type: ignore[arg-type]
    ]
    for read in reads:
        with pytest.raises(ValidationError):
            read()
    for value in ("text", 5, ["x"], b"x"):
        with pytest.raises(ValidationError):
            public.Connector.model_validate(value, from_attributes=True)
    with pytest.raises(ValidationError):
        public.Connector.model_validate(ConnectorRow(name="n", type="web", scope="org"))


def test_a_partial_update_reads_and_checks_only_what_it_names(sample: SimpleNamespace) -> None:
    pb, update = sample.pb, sample.models.UpdateThingRequest
    # Over gRPC, a resource always has all fields, including unset ones.
    request = update.from_pb(
        pb.UpdateThingRequest(id=1, thing=pb.Thing(colour=1, id=5), update_mask={"paths": ["colour", "description"]})
    )
    assert request.update_mask == ["colour", "description"]
    assert request.thing.model_dump(exclude_unset=True, by_alias=False) == {"colour": "COLOUR_RED", "description": None}
    assert (request.thing.id, request.thing.name, request.thing.origin) == (0, "", None)
    assert pb.Thing(colour=1) == request.thing.to_pb()


@for_each(
    ("thing", "paths", "expected"),
    [
        ({"colour": 1}, [], {"update_mask": "too_short"}),
        ({"name": "n"}, None, {"updateMask": "missing"}),
        (None, ["colour"], {"thing": "missing"}),
        ({"colour": 1}, ["colour", "bogus"], {"update_mask": "value_error"}),
        ({"colour": 1}, ["*"], {"update_mask": "value_error"}),
        ({"colour": 1}, ["origin.name"], {"update_mask": "value_error"}),
        ({}, ["name"], {"thing.name": "string_too_short"}),
        ({"name": "much too long"}, ["name"], {"thing.name": "string_too_long"}),
        ({"colour": 99}, ["colour"], {"thing.colour": "enum"}),
    ],
)
def test_a_wrong_partial_update_over_grpc(
    sample: SimpleNamespace, thing: dict[str, Any] | None, paths: list[str] | None, expected: dict[str, str]
) -> None:
    message = sample.pb.UpdateThingRequest(
        thing=None if thing is None else sample.pb.Thing(**thing),
        update_mask=None if paths is None else {"paths": paths},
    )
    with pytest.raises(ValidationError) as caught:
        sample.models.UpdateThingRequest.from_pb(message)
    assert errors_of(caught) == expected


def test_required_fields_cannot_be_unset_by_an_update(sample: SimpleNamespace) -> None:
    message = sample.pb.UpdateThingRequest(thing=sample.pb.Thing(), update_mask={"paths": ["origin"]})
    with pytest.raises(ValidationError) as caught:
        sample.models.UpdateThingRequest.from_pb(message)
    assert errors_of(caught) == {"thing.origin": "model_type"}


def test_exact_times(sample: SimpleNamespace) -> None:
    model = sample.models.Everything.model_validate(
        {"at": "2026-01-02T03:04:05.123456789+02:00", "took": "-1.000001999s"}
    )
    assert model.at == datetime(2026, 1, 2, 1, 4, 5, 123456, UTC)
    assert model.took == -timedelta(seconds=1, microseconds=1)
    assert b'"took":"-1.000001s"' in model.to_json()
