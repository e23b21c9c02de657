"""The reference engine behind the protocol, with its answers changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from datc.adapters import AdjudicateParams, AdjudicateResult
from datc.adapters.builtin import BuiltinEngine, Reference
from datc.adapters.protocol import Capabilities, InitializeResult
from datc.reference_engine import Ruleset


class Altered(BuiltinEngine):
    """Says what `change` makes of a request and the right answer, by the ruleset of the request or another one."""

    def __init__(
        self,
        change: Callable[[AdjudicateParams, AdjudicateResult], AdjudicateResult] = lambda _params, answer: answer,
        capabilities: Capabilities | None = None,
        ruleset: Ruleset | None = None,
    ) -> None:
        super().__init__(Reference(ruleset, fixed=True) if ruleset else Reference())
        self.change = change
        self.capabilities = capabilities or super().start().capabilities
        self.asked: list[Any] = []

    def start(self) -> InitializeResult:
        return msgspec.structs.replace(super().start(), capabilities=self.capabilities)

    def adjudicate(self, params: AdjudicateParams) -> AdjudicateResult:
        self.asked.append(params)
        return self.change(params, super().adjudicate(params))
