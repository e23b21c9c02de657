"""Engines for a shadow: each answers as it is told to, and remembers what it was asked."""

import threading

import msgspec

from datc.adapters import AdjudicateParams, AdjudicateResult, Engine, EngineClosedError, protocol
from datc.adapters.builtin import Reference
from datc.reference_engine import DATC_3_1

LONG = 60.0
"""Seconds that a test waits for what has to come."""


class Scripted(Engine):
    """Answers as it is told to."""

    def __init__(self, answer, name="scripted", phases=None):
        self._answer, self._name, self._phases = answer, name, phases
        self.asked = []
        self.starts = 0
        self.closed = threading.Event()

    def start(self):
        self.starts += 1
        return protocol.InitializeResult(
            protocol=1,
            engine=protocol.EngineIdentity(name=self._name),
            capabilities=protocol.Capabilities(phases=self._phases),
        )

    def adjudicate(self, params):
        self.asked.append(params)
        return self._answer(params)

    def call(self, method, params):
        assert method == "adjudicate"
        asked = msgspec.json.decode(msgspec.json.encode(params), type=AdjudicateParams)
        result = msgspec.Raw(msgspec.json.encode(self.adjudicate(asked)))
        return protocol.Response(jsonrpc="2.0", id=None, result=result)

    def close(self):
        self.closed.set()


class Stuck(Scripted):
    """Answers nothing until it is let go on, or closed."""

    def __init__(self):
        super().__init__(self._wait, "stuck")
        self.reached, self.go_on = threading.Event(), threading.Event()

    def _wait(self, params):
        self.reached.set()
        assert self.go_on.wait(LONG)
        if self.closed.is_set():
            raise EngineClosedError("the run was ended")
        return right(params)

    def close(self):
        super().close()
        self.go_on.set()


def right(params):
    """What the reference answers."""
    return Reference().adjudicate(params)


def with_state(answer, **state):
    return lambda params: msgspec.structs.replace(answer(params), state=msgspec.Raw(msgspec.json.encode(state)))


def nobody_moves(params):
    """Movements as an engine answers that has none."""
    return AdjudicateResult(units=params.units, dislodged=[])


def unit(power, text):
    return protocol.UnitMessage(power=power, type="F" if text[0] == "F" else "A", location=text[2:5])


def movement(*orders, **fields):
    """A request for movements, from `FRANCE A PAR - BUR`, each the order of a unit of its own."""
    given = [line.split(maxsplit=1) for line in orders]
    params = AdjudicateParams(
        phase="movement",
        ruleset=protocol.RulesetMessage(name="datc-3.1", choices=dict(DATC_3_1.choices)),
        units=[unit(power, text) for power, text in given],
        orders=[protocol.GivenOrderMessage(power=power, text=text) for power, text in given],
    )
    return msgspec.structs.replace(params, **fields)


DISLODGEMENT = movement("FRANCE A PAR - BUR", "FRANCE A GAS S A PAR - BUR", "GERMANY A BUR H")
"""Burgundy is dislodged."""
VIA = movement("FRANCE A BEL - HOL VIA", "ENGLAND F NTH - HEL", "ENGLAND A HOL - KIE")
"""4.A.3: whether the army walks where nobody convoys it."""


def retreat(after, text="A BUR - BEL", **fields):
    """The request for a retreat that a client makes of an answer to movements."""
    order = protocol.GivenOrderMessage(power="GERMANY", text=text)
    given = {"units": after.units, "dislodged": after.dislodged or [], "orders": [order], "state": after.state}
    return msgspec.structs.replace(DISLODGEMENT, phase="retreat", **{**given, **fields})
