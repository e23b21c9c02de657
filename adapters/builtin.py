"""The reference engine as an engine under test, in the same process."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import msgspec

from ..reference_engine import (
    DATC_3_1,
    EQUATIONS,
    Procedure,
    ReferenceEngineError,
    Ruleset,
    UnplayedChoiceError,
    adjudicate,
    find_procedure,
)
from .answers import UNREADABLE
from .conversion import read_position, read_ruleset, read_submission, result_message
from .engine import Engine
from .errors import EngineFailure, UnsupportedError
from .protocol import (
    PROTOCOL_VERSION,
    AdjudicateParams,
    AdjudicateResult,
    Capabilities,
    EngineIdentity,
    Harness,
    InitializeParams,
    InitializeResult,
    Response,
)
from .responding import MethodNotFoundError, ParamsError, respond_with


def package_version() -> str:
    """Look up the version of this project as it is installed."""
    try:
        return version("datc-check")
    except PackageNotFoundError:
        return "unknown"


def greeting() -> InitializeParams:
    """Make what every engine is told first."""
    return InitializeParams(protocol=PROTOCOL_VERSION, harness=Harness(name="datc-check", version=package_version()))


@dataclass(frozen=True)
class Reference:
    """The reference engine as something that answers requests."""

    ruleset: Ruleset = DATC_3_1
    """What a request changes with the choices that it names, or, `fixed`, what is played whatever it names."""
    fixed: bool = False
    procedure: str | None = None
    """How it adjudicates, where not by the equations."""

    def plays(self) -> Procedure:
        """How each phase is adjudicated."""
        return find_procedure(self.procedure) if self.procedure else EQUATIONS

    def called(self) -> str:
        """Its name."""
        return "datc-check reference engine" + (f", {self.procedure}" if self.procedure else "")

    def identity(self) -> InitializeResult:
        """Answer to `initialize`."""
        return InitializeResult(
            protocol=PROTOCOL_VERSION,
            engine=EngineIdentity(name=self.called(), version=package_version()),
            capabilities=Capabilities(
                phases=["movement", "retreat", "adjustment"],
                maps=["standard"],
                orders=["text", "structured"],
                extras=["order-sets", "perpetual-orders", "proxies", "flying-dutchmen"],
            ),
        )

    def ask(self, method: str, params: bytes) -> InitializeResult | AdjudicateResult:
        """Answer a request, its parameters as JSON.

        Raises what `adjudicate` does, `MethodNotFoundError`, and `ParamsError` for parameters of another form.
        """
        try:
            if method == "initialize":
                _ = msgspec.json.decode(params, type=InitializeParams)
                return self.identity()
            if method == "adjudicate":
                asked = msgspec.json.decode(params, type=AdjudicateParams)
            else:
                raise MethodNotFoundError(f"there is no method {method!r}: they are initialize and adjudicate")
        except UNREADABLE as error:
            raise ParamsError(str(error)) from error
        return self.adjudicate(asked)

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        """Adjudicate a request.

        Raises `UnsupportedError` for a map or a choice that it does not play, and `ReferenceEngineError` for a request
        that holds no position or no ruleset, and where there is no such procedure.
        """
        if params.map != "standard":
            raise UnsupportedError(f"there is no map {params.map!r} here, only 'standard'")
        position = read_position(params)
        ruleset = self.ruleset if self.fixed else read_ruleset(params.ruleset, self.ruleset)
        try:
            adjudication = adjudicate(position, read_submission(params), ruleset, self.plays())
        except UnplayedChoiceError as error:
            raise UnsupportedError(str(error)) from error
        return result_message(adjudication, params.phase)


class BuiltinEngine(Engine):
    """Answers with the reference engine, without any transport between."""

    def __init__(self, reference: Reference | None = None) -> None:
        """Answer as this reference does."""
        self._reference: Reference = reference or Reference()

    def start(self) -> InitializeResult:
        return self._reference.identity()

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        try:
            return self._reference.adjudicate(params)
        except ReferenceEngineError as error:
            raise EngineFailure(str(error)) from error

    def call(self, method: str, params: object) -> Response:
        def ask() -> InitializeResult | AdjudicateResult:
            # Who asks in the same process is known, and need not say who it is.
            return self.start() if method == "initialize" else self._reference.ask(method, msgspec.json.encode(params))

        return respond_with(ask)

    def close(self) -> None:
        pass
