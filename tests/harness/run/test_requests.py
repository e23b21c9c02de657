"""What docs/protocol.md promises of requests, held to the requests of all suites."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import jsonschema
import msgspec
import pytest

from datc.adapters import AdjudicateParams, AdjudicateResult, UnsupportedError, protocol_schema
from datc.adapters.builtin import BuiltinEngine
from datc.adapters.protocol import Capabilities, board_data
from datc.cases import Case, load_ruleset, load_suite, suite_names
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.session import case_inputs, play
from datc.reference_engine import DATC_3_2, Move, Ruleset
from datc.reference_engine.notation import read_writing

DOCUMENT = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text("utf-8")
Json: TypeAlias = dict[str, Any]
EXTRAS = ("order-sets", "perpetual-orders", "proxies", "flying-dutchmen")
ENGINES: Mapping[str, Capabilities] = {
    "does all": Capabilities(extras=list(EXTRAS)),
    "no extras": Capabilities(),
    "only structured": Capabilities(orders=["structured"], extras=list(EXTRAS)),
    **{f"only {extra}": Capabilities(orders=["text"], extras=[extra]) for extra in EXTRAS},
}


class Sent(NamedTuple):
    """A request, and what was known when it was sent."""

    params: Json
    can: Capabilities
    follows_state: bool
    """It follows an answer with a `state`."""


class Recording(BuiltinEngine):
    """Keeps what it is asked, and answers a movement phase with a `state`."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Json] = []

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        self.asked.append(json.loads(msgspec.json.encode(params)))
        state = msgspec.Raw(b'{"mine":1}') if params.phase == "movement" else msgspec.UNSET
        return msgspec.structs.replace(super().adjudicate(params), state=state)


def requests_of(case: Case, can: Capabilities, ruleset: Ruleset) -> Iterator[Sent]:
    engine = Recording()
    inputs = case_inputs(case)
    _ = list(play(EngineAdjudicator(engine, can, ruleset), inputs))
    state = False
    for phase, params in zip(inputs, engine.asked, strict=False):
        yield Sent(params, can, state and phase.follows)
        state = params["phase"] == "movement"


@cache
def recorded() -> tuple[Sent, ...]:
    """All requests of all suites to each engine, and those of one case under a ruleset with a default coast."""
    coasts = load_ruleset("datc-3.2").ruleset().with_choices({"4.B.1": "default-coast"})
    cases = [case for name in suite_names() for case in load_suite(name).cases]
    asked = [(case, can, DATC_3_2) for can in ENGINES.values() for case in cases]
    asked += [(case, ENGINES["does all"], coasts) for case in cases if case.id == "6.B.1"]
    return tuple(sent for each in asked for sent in requests_of(*each))


def table(heading: str) -> list[list[str]]:
    """The cells of the first table behind a heading, without its head."""
    text = DOCUMENT.partition(f"{heading}\n")[2]
    rows = re.findall(r"^\| (.*) \|$", text.partition("|---")[2].partition("\n\n")[0], re.MULTILINE)
    assert rows
    return [re.split(r" *\| *", row) for row in rows]


PROMISES = {field: sent for names, sent in table("### When a field is sent") for field in re.findall(r"`(.+?)`", names)}
"""When each field is sent, in the words of the document."""
ORDERS = {kind.strip("`"): set(re.findall(r"`(\w+)`", fields)) for kind, fields, *_ in table("## Orders")}


Rule: TypeAlias = Callable[[Sent, Json], tuple[bool, bool]]
"""Says of a request, and of the object in it that can have a field, whether that may have it, and whether it must."""


def exactly(condition: Callable[[Sent, Json], bool]) -> Rule:
    return lambda sent, holder: (condition(sent, holder), condition(sent, holder))


def has_one_meaning(sent: Sent, order: Json) -> tuple[bool, bool]:
    meaning = type(read_writing(order["text"], sent.params["phase"])).__name__
    return True, sent.can.orders == ["structured"] or meaning not in ("Unclear", "NoneType")


RULES: Mapping[str, Rule] = {
    "always": lambda _sent, _holder: (True, True),
    "always; `{}` if the case does not say who owns which centers": lambda _sent, _holder: (True, True),
    "always; `[]` except in a retreat phase": (
        lambda sent, holder: (holder["dislodged"] == [] or sent.params["phase"] == "retreat", True)
    ),
    "only if a choice of the ruleset is `default-coast`": (
        exactly(lambda _sent, ruleset: "default-coast" in ruleset["choices"].values())
    ),
    "only if the phase follows an answer with `state`": exactly(lambda sent, _holder: sent.follows_state),
    "only if the text has exactly one meaning; always to an engine whose `capabilities.orders` do not list `text`": (
        has_one_meaning
    ),
}


def rule(words: str) -> Rule:
    """The rule that the document says in words."""
    if words in RULES:
        return RULES[words]
    extras = re.findall(r"`([a-z-]+)`", words.partition(" among ")[0])
    assert words.startswith("only to an engine with "), f"this test cannot check: {words}"
    assert set() < set(extras) <= set(EXTRAS)
    return lambda sent, _holder: (not set(extras).isdisjoint(sent.can.extras), False)


def holders(params: Json, path: str) -> Iterable[Json]:
    """The objects of a request that a path of fields leads to: each order for `orders`."""
    found = [params]
    for name in filter(None, path.split(".")):
        values = [each[name] for each in found]
        found = [one for value in values for one in (value if isinstance(value, list) else [value])]
    return found


@pytest.mark.parametrize("field", PROMISES)
def test_a_field_is_sent_when_the_document_says(field: str) -> None:
    path, _, name = field.rpartition(".")
    may_and_must = rule(PROMISES[field])
    seen: set[bool] = set()
    for sent in recorded():
        for holder in holders(sent.params, path):
            may, must = may_and_must(sent, holder)
            is_there = name in holder
            assert must <= is_there <= may, (field, sent)
            seen.add(is_there)
    assert seen == ({True} if PROMISES[field].startswith("always") else {True, False})


def test_no_field_is_sent_that_the_document_does_not_have() -> None:
    for path in {field.rpartition(".")[0] for field in PROMISES}:
        sent = {name for each in recorded() for holder in holders(each.params, path) for name in holder}
        assert {f"{path}.{name}".lstrip(".") for name in sent} <= PROMISES.keys()


def test_an_order_has_the_fields_of_its_type_and_a_path_where_its_text_names_it() -> None:
    paths = 0
    for sent in recorded():
        for given in sent.params["orders"]:
            if "order" not in given:
                continue
            order = given["order"]
            assert set(order) - {"type"} <= ORDERS[order["type"]]
            written = read_writing(given["text"], sent.params["phase"])
            names_the_seas = isinstance(written, Move) and bool(written.path)
            assert ("path" in order) is names_the_seas
            paths += names_the_seas
            assert order["type"] != "proxy" or "proxies" in sent.can.extras
    assert paths


def test_the_requests_fit_the_schema_and_places_are_on_the_board() -> None:
    schema = jsonschema.Draft202012Validator({**protocol_schema(), "$ref": "#/$defs/AdjudicateParams"})
    different = {json.dumps(sent.params, sort_keys=True): sent.params for sent in recorded() if sent.can.extras}
    for params in different.values():
        schema.validate(params)
    some = next(params for params in different.values() if params["units"] and params["centers"])
    for wrong in (
        {"units": [{**some["units"][0], "location": "LDN"}]},
        {"dislodged": [{"power": "ITALY", "type": "A", "location": "Rome"}]},
        {"centers": {"ITALY": ["ROME"]}},
        {"flying_dutchmen": [{"power": "ITALY", "candidates": ["BUL/NC"]}]},
    ):
        assert not schema.is_valid({**some, **wrong})


def test_an_order_without_a_structured_form_is_never_sent_where_only_those_are_taken() -> None:
    """The two cases with a text that means nothing at all, as well as those with an ambiguous one."""
    cases = {case.id: case for case in load_suite("datc-chapters-4-5").cases}
    for case_id in ("v2.4-4.E.1.d", "v2.4-4.E.1.e", "v2.4-4.E.2.1"):
        engine = Recording()
        adjudicator = EngineAdjudicator(engine, ENGINES["only structured"], DATC_3_2)
        with pytest.raises(UnsupportedError, match=r"reads no text \(capabilities.orders\), and an order here has no"):
            _ = adjudicator.ask(case_inputs(cases[case_id])[0])
        assert engine.asked == []


def test_the_board_is_whole_and_the_province_that_the_document_shows_is_so() -> None:
    data = board_data()
    provinces = {province["code"]: province for province in data["provinces"]}
    section = DOCUMENT.partition("\n## The board\n")[2].partition("\n## ")[0]
    (shown,) = re.findall(r"```json\n(.*?)```", section, re.DOTALL)
    assert json.loads(shown) == provinces["BUL"]
    assert (len(provinces), sum(province["center"] for province in data["provinces"])) == (75, 34)
    assert {province["home"] for province in data["provinces"]} == {None, *data["powers"]}
    for code, province in provinces.items():
        assert all(code in provinces[other]["army"] for other in province["army"])
        assert list(province["fleet"]) == (province["coasts"] or ([] if province["kind"] == "land" else [code]))
        for location, others in province["fleet"].items():
            assert all(location in provinces[other[:3]]["fleet"][other] for other in others)
