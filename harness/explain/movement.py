"""The outcome of each order of a movement phase, and its reasons."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import final

from ...reference_engine import OrderedUnit, Unit, province_code, write_order
from ...reference_engine.canal import passes
from ...reference_engine.choices import ADJACENT_CONVOYS, CONVOY_PATHS
from ...reference_engine.equations import OPTIMISTIC
from ...reference_engine.explanation import MovementExplanation, WatchedEquations
from ...reference_engine.orders import Move, MovementOrder
from ...reference_engine.paradoxes import PARADOX_RULES
from ...reference_engine.railway import AlongRailway
from ...reference_engine.resolved_order import CONVOY, HOLD, MOVE, SUPPORT
from ...reference_engine.routes import set_of
from ...reports.vocabulary import Names, listed
from .sentences import Legality, RetreatExplanation, Sentences


@dataclass(frozen=True)
class OrderExplanation:
    """An order, or a unit without one, with its outcome and the reasons."""

    power: str
    order: str
    """As it was written; the unit where it has no order."""
    outcome: str
    """`succeeds` or `fails`; `holds` for a unit without an order."""
    reason: str | None = None
    strengths: Mapping[str, int] = field(default_factory=dict[str, int])
    """`attack`, `prevent`, `defend` of a move; `hold` of a unit that stays."""
    sentences: Sequence[str] = ()
    why: Sequence[str] = ()
    """Why it failed; nothing for an order that succeeded."""
    unit: str = ""
    """The unit that it is for, if it is on the board."""
    goes_to: str | None = None
    supported_by: Sequence[str] = ()
    """The units whose support matches it, cut or not."""
    cut_by: Sequence[str] = ()
    """The units whose moves cut the support that it gives."""


def explain_orders(
    explained: MovementExplanation, texts: Sequence[str], retreats: Sequence[RetreatExplanation] = ()
) -> Sequence[OrderExplanation]:
    """Explain each order, in the order in which they were written, then the units that have none."""
    writer = _MovementSentences(explained, retreats)
    orders = [writer.order(index, text) for index, text in enumerate(texts)]
    return [*orders, *writer.units_without_order()]


def as_written(explained: MovementExplanation, unit: int) -> str:
    """Write the order that a unit follows: `"A London - Belgium"`; without one it holds."""
    standing = explained.position.units[unit]
    followed = (unit, explained.effects[unit])
    for (_, order), given in zip(explained.orders, explained.given, strict=True):
        if given == followed and isinstance(order, MovementOrder):
            named = replace(order, unit=OrderedUnit(standing.location, standing.type))
            return write_order(named, "names", board=explained.position.board)
    return f"{Names(explained.position.board).unit(standing)} holds"


@final
class _MovementSentences(Sentences):
    """Writes sentences about orders, about each unit once. Units are indices into those of the position."""

    def __init__(self, explained: MovementExplanation, retreats: Sequence[RetreatExplanation]) -> None:
        super().__init__(explained.position, explained.ruleset)
        self._explained = explained
        self._equations: WatchedEquations = explained.equations
        self._effects = explained.effects
        self._units: Sequence[Unit] = explained.position.units
        self._dislodged = {each.unit: each for each in explained.adjudication.dislodged}
        self._retreats = {retreat.location: retreat for retreat in retreats}
        self._legality = Legality(explained.position, explained.ruleset)
        self._unconvoyed = self.choice("X.15" if self.is_chosen("X.15", "yes") else "4.E.1")
        self._done: set[int] = set()

    def order(self, index: int, text: str) -> OrderExplanation:
        power, order = self._explained.orders[index]
        result, given = self._explained.adjudication.orders[index], self._explained.given[index]
        unit = given[0] if given is not None else -1
        why: list[str] = []
        if result.reason == "illegal":
            why = [self._legality.why_illegal(power, order)]
            named = getattr(order, "unit", None)
            if unit < 0 and isinstance(named, OrderedUnit):  # It may name a unit in full that has no other legal order.
                unit = self._explained.position.named.get(named, -1)
                is_own = unit >= 0 and self._units[unit].power == power
                unit = unit if is_own and unit not in self._explained.followed else -1
        elif result.reason == "ignored" and unit < 0:
            why = ["another order to the same unit names its units correctly and replaces this one (4.C)"]
        elif result.reason == "ignored":
            why = [self.several_orders(follows_none=self._follows_none_of_several(unit))]
        sentences = [*why]
        strengths: Mapping[str, int] = {}
        if unit >= 0 and unit not in self._done and result.reason != "ignored":
            self._done.add(unit)
            strengths = self._strengths(unit)
            if given is not None and result.reason != "illegal":
                effect = self._effects[unit]
                landing = self.board.locations[effect.landing] if effect.kind == MOVE and effect.landing >= 0 else ""
                sentences += self._legality.how_read(order, self._units[unit], landing)
            sentences += self._of_unit(unit)
            why += self._why(unit)
        said = (tuple(sentences), tuple(why), self._name(unit) if unit >= 0 else "")
        to = order.to if isinstance(order, Move) else None
        others: tuple[Sequence[str], Sequence[str]] = ((), ())
        if given is not None:
            supporters = (account.unit for account in self._explained.supports(unit))
            cutters = self._explained.cutters(unit) if self._effects[unit].kind == SUPPORT else ()
            others = [*map(self._name, supporters)], [*map(self._name, cutters)]
        return OrderExplanation(power, text, result.outcome, result.reason, strengths, *said, to, *others)

    def units_without_order(self) -> Iterable[OrderExplanation]:
        """Explain the units without a legal order that no order has been about."""
        ordered = {
            (power, province_code(unit.location))
            for power, order in self._explained.orders
            if isinstance(unit := getattr(order, "unit", None), OrderedUnit)
        }
        for unit, standing in enumerate(self._units):
            if unit not in self._done:
                name, has_order = self._name(unit), (standing.power, province_code(standing.location)) in ordered
                order = f"{name}, without {'an order that it follows' if has_order else 'an order'}"
                outcome = ("fails", "dislodged") if standing in self._dislodged else ("holds", None)
                said = (self._strengths(unit), tuple(self._of_unit(unit)), tuple(self._why(unit)), name)
                yield OrderExplanation(standing.power, order, *outcome, *said)

    def _name(self, unit: int) -> str:
        return self.unit(self._units[unit]) if unit >= 0 else "nobody"

    def _move_name(self, unit: int) -> str:
        return f"{self._name(unit)} - {self._province(self._equations.target[unit])}"

    def _province(self, number: int) -> str:
        return self.place(self.board.provinces[number].code)

    def _follows_none_of_several(self, unit: int) -> bool:
        effects = [given[1] for given in self._explained.given if given is not None and given[0] == unit]
        return bool(effects) and self._effects[unit] not in effects

    def _is_possible_move(self, unit: int) -> bool:
        return self._equations.kind[unit] == MOVE and self._equations.target[unit] >= 0

    def _strengths(self, unit: int) -> Mapping[str, int]:
        equations = self._equations
        found: dict[str, int] = {}
        if self._is_possible_move(unit):
            found["attack"] = equations.attack_strength(unit, optimistic=True)
            found["prevent"] = equations.prevent_strength(unit, optimistic=True)
            found["defend"] = equations.defend_strength(unit, optimistic=True)
        if equations.kind[unit] != MOVE or not equations.resolution[unit]:
            found["hold"] = equations.hold_strength(equations.home[unit], optimistic=True)
        return {kind: equations.shown_strength(strength) for kind, strength in found.items()}

    def _of_unit(self, unit: int) -> Iterable[str]:
        """Say what the order of a unit does, who supports it, and where it may retreat to if it is dislodged."""
        yield from self._what_it_does(unit)
        for account in self._explained.supports(unit):
            supporter = self._name(account.unit)
            if account.cut_by:
                yield f"the support of {supporter} is cut by {listed(map(self._move_name, account.cut_by))}"
            else:
                against = f", which does not count against {self._victim(unit)}" if account.does_not_attack else ""
                yield f"supported by {supporter}{against}"
        if entry := self._dislodged.get(self._units[unit]):
            attacker = self.unit_at(entry.attacked_from or "")
            by = self.owned(attacker) if attacker else entry.attacked_from
            open_and_closed = self._retreats.get(entry.unit.location)
            first, *others = self.retreat_texts(open_and_closed) if open_and_closed else [self.retreats(entry.retreats)]
            yield f"dislodged by {by}; {first}"
            yield from others

    def _what_it_does(self, unit: int) -> Iterable[str]:
        kind = self._effects[unit].kind
        if self._effects[unit].by_rail and isinstance(self._equations, AlongRailway):
            yield from self._along_railway(self._equations, unit)
        elif self._is_possible_move(unit):
            yield from self._path(unit)
            yield from self._battle(unit)
        elif kind == MOVE and self._is_through_canal(unit):
            yield f"may not pass the canal: {self._canal_is_closed()}"
        elif kind == MOVE and self._equations.kind[unit] == HOLD:
            yield f"stays as a unit that holds: no fleet is ordered to convoy it ({self._unconvoyed})"
        elif kind == MOVE:
            yield f"counts as an order to move, so the unit cannot be supported to hold ({self.choice('4.E.1')})"
        elif kind == SUPPORT:
            yield from self._support(unit)
        elif kind == CONVOY:
            yield from self._convoy(unit)

    def _why(self, unit: int) -> Iterable[str]:
        if self._explained.is_halted(unit):
            return self._what_it_does(unit)
        if self._equations.resolution[unit]:
            return ()
        if self._is_possible_move(unit) and self._equations.path(unit, optimistic=True):
            return self._why_bounced(unit)
        return itertools.islice(self._what_it_does(unit), 1 if self._effects[unit].kind == SUPPORT else None)

    def _why_bounced(self, unit: int) -> Iterable[str]:
        """Name the first thing that a move does not overcome, and the supports that did not help."""
        yield from itertools.islice(self._battle(unit, all_barriers=False), 1)
        attacks = self._equations.attack_strength(unit, optimistic=True) > 0
        for account in self._explained.supports(unit):
            support = f"the support of {self._name(account.unit)}"
            if account.cut_by:
                yield f"{support} is cut"
            elif account.does_not_attack and attacks:
                yield f"{support} does not count against {self._victim(unit)}"

    def _victim(self, unit: int) -> str:
        """Name the unit that a move attacks, as a countryman of a supporting unit."""
        return f"{self._name(self._equations.occupant[self._equations.target[unit]])}, a unit of its own power"

    @property
    def _settling_rule(self) -> str:
        """Name the rule that settles a paradox: that of 4.A.2, or the backup rule where that one settles none."""
        if PARADOX_RULES[self.ruleset.choices["4.A.2"]].settle is None:
            return f"the backup rule for paradoxes ({self.choice('4.A.2')} has no answer, {self.choice('X.22')})"
        return f"the rule for paradoxes ({self.choice('4.A.2')})"

    def _path(self, unit: int) -> Iterable[str]:
        """Say how a unit moves, where it could be by land or by convoy."""
        if self._is_through_canal(unit):
            yield from self._through_canal(unit)
            return
        equations, choice = self._equations, self.choice("4.A.3")
        routes, ordered = equations.routes[unit], (CONVOY, equations.target[unit], equations.home[unit])
        effects = enumerate(self._effects)
        fleets = [fleet for fleet, each in effects if (each.kind, each.target, each.helped) == ordered]
        by_land = self.board.army_borders[equations.home[unit]] >> equations.target[unit] & 1
        sailing = [fleet for fleet in fleets if equations.kind[fleet] == CONVOY]
        if routes:
            yield from self._routes(unit, routes, f"not over land ({choice})" if by_land else "")
        elif routes is not None and self._is_stopped_in_a_cycle(unit):
            yield f"stopped by {self._settling_rule}"
        elif routes is not None:
            needs = f"may not go over land ({choice})" if by_land else "needs a convoy"
            are = "is" if len(fleets) == 1 else "are"
            why = f"{listed(map(self._name, fleets))} alone {are} no complete chain of fleets"
            if not fleets:
                why = "no fleet is ordered to convoy it"
            elif CONVOY_PATHS[self.ruleset.choices["4.A.6"]].is_read and self._effects[unit].path:
                why = f"not all fleets on the path that its order names convoy it ({self.choice('4.A.6')})"
            elif self.is_chosen("4.A.6", "required"):
                why = "its order has to name the path, and names none (4.A.6 = required)"
            yield f"it {needs}, and {why}"
        elif sailing and ADJACENT_CONVOYS[self.ruleset.choices["4.A.3"]].falls_back_to_land:
            yield f"moves over land, since {self._why_all_lost(sailing)} ({choice})"
        elif fleets:
            yield f"moves over land, not by the convoy of {listed(map(self._name, fleets))} ({choice})"
        elif self._effects[unit].via_convoy:
            yield f"moves over land, since no fleet is ordered to convoy it ({choice})"

    def _is_through_canal(self, unit: int) -> bool:
        canal = self.board.canal
        return canal is not None and passes(canal, self.position, self._effects, unit)

    def _canal_is_closed(self) -> str:
        keeper, where = self._equations.occupant[self._keeper], self._province(self._keeper)
        return f"no unit is in {where}" if keeper < 0 else f"{self._name(keeper)} does not let it"

    def _through_canal(self, unit: int) -> Iterable[str]:
        keeper = self._equations.occupant[self._keeper]
        if not self._equations.routes[unit]:
            yield "it stays, since whether it can pass the canal depends on itself"
        elif self._equations.path(unit, optimistic=True):
            yield f"passes the canal, as {self._name(keeper)} lets it"
        else:
            is_dislodged = self._units[keeper] in self._dislodged
            yield f"cannot pass the canal: {self._name(keeper)} {'is dislodged' if is_dislodged else 'leaves'}"

    @property
    def _keeper(self) -> int:
        """The province at the canal of this map."""
        return self.board.canal.keeper if self.board.canal else -1

    def _along_railway(self, equations: AlongRailway, unit: int) -> Iterable[str]:
        """Say where a unit that is ordered to use the railway comes to, and what stops it before its destination."""
        if unit != equations.train:
            yield "stays: only one army uses the railway in a turn, and another one is ordered to"
        elif not equations.routes[unit]:
            yield "it stays, since whether it can use the railway depends on itself"
        else:
            stop = equations.comes_to(OPTIMISTIC)
            if stop == equations.target[unit]:
                yield "goes along the railway"
                return
            yield self._what_stops_train(equations)
            before = "the last empty province before" if stop >= 0 else "as no province before is empty"
            yield f"stops in {self._province(stop)}, {before}" if stop >= 0 else f"stays, {before}"

    def _what_stops_train(self, equations: AlongRailway) -> str:
        """Say why the army on a railway comes no farther (DATC 2.4, chapter 7.B)."""
        facing = equations.occupant[equations.way[0]]
        if equations.is_head_on(facing):
            return f"cannot pass {self._name(facing)}, which comes the other way"
        for place in equations.way[:-1]:
            if equations.is_kept(place):
                how = "moves along the railway" if equations.kind[equations.occupant[place]] == MOVE else "stays"
                return f"cannot pass {self._name(equations.occupant[place])}, which {how}"
            for mover in equations.attackers[place]:
                if equations.is_foreign(mover) and equations.would_enter(mover, OPTIMISTIC):
                    return f"meets {self._name(mover)} in {self._province(place)}"
        target = equations.way[-1]
        if not equations.is_left(target, OPTIMISTIC):
            stays = self._name(equations.occupant[target])
            return f"{stays} does not leave, and an army on the railway dislodges nobody"
        rivals = {rival: equations.prevent_strength(rival, OPTIMISTIC) for rival in equations.attackers[target]}
        rival = max(rivals, key=rivals.__getitem__)
        strength = equations.attack_strength(equations.train, OPTIMISTIC)
        return f"strength {strength} does not beat the prevent strength {rivals[rival]} of {self._move_name(rival)}"

    def _is_stopped_in_a_cycle(self, army: int) -> bool:
        return any(cycle.equations.routes[army] for cycle in self._equations.cycles)

    def _routes(self, unit: int, routes: Sequence[Sequence[int]], how: str) -> Iterable[str]:
        """Say of each route of a convoy what stops it, up to the first that is a path."""
        home, resolution = self._equations.home, self._equations.resolution
        for route in routes:
            fleets = listed(map(self._name, route))
            if all(resolution[fleet] for fleet in route):
                by = f"convoyed by {fleets}" if route else "the rule for paradoxes upholds its convoy"
                yield f"{by}{how and f', {how}'}"
                return
            seas = set_of(home[fleet] for fleet in route if resolution[fleet])
            has_another = self.board.routes.possible(home[unit], self._equations.target[unit], seas)
            every = " (4.A.1 = any-route: it needs all of them)" if has_another else ""
            by = f" by {fleets}" if len(route) > 1 or len(routes) > 1 else ""
            yield f"it has no path{by}, since {self._why_all_lost(route)}{every}{how and f'; {how}'}"

    def _why_all_lost(self, fleets: Iterable[int]) -> str:
        return listed(
            f"{self._name(fleet)} is dislodged"
            if self._units[fleet] in self._dislodged
            else f"{self._name(fleet)} is disrupted by {self._why_disrupted(fleet)}"
            for fleet in fleets
            if not self._equations.resolution[fleet]
        )

    def _why_disrupted(self, fleet: int) -> str:
        if self._explained.is_settled_by_rule(fleet):
            return self._settling_rule
        rules = self._equations.rules
        issues = [("X.8", rules.beleaguered_disrupts), ("X.9", rules.outnumbered_disrupts)]
        choices = listed(self.choice(issue) for issue, disrupts in issues if disrupts)
        return f"the attacks on it, which do not dislodge it ({choices})"

    def _convoy(self, unit: int) -> Iterable[str]:
        equations, effect = self._equations, self._effects[unit]
        army = equations.occupant[effect.helped]
        goes, name = self._effects[army], self._name(army)
        if (goes.kind, goes.target) != (MOVE, effect.target):
            yield f"void: {name} is not ordered there"
        elif equations.kind[unit] == HOLD and equations.routes[army] is None:
            yield f"{name} moves over land, not by convoy ({self.choice('4.A.3')})"
        elif equations.kind[unit] == HOLD:
            yield f"fleets of its own power convoy {name} ({self.choice('X.1')})"
        elif equations.resolution[unit]:
            yield self._of_undisrupted(unit, army, name)
        elif self._units[unit] not in self._dislodged:
            yield f"its convoy is disrupted by {self._why_disrupted(unit)}"

    def _of_undisrupted(self, unit: int, army: int, name: str) -> str:
        """Say what a fleet does for its army that can convoy it as far as it is concerned itself."""
        routes = self._equations.routes[army]
        if routes is None:
            return f"could convoy {name}, which moves over land ({self.choice('4.A.3')})"
        if routes == ((),):
            return f"{self._settling_rule} upholds the convoy of {name}"
        usable = [route for route in routes if all(self._equations.resolution[fleet] for fleet in route)]
        if any(unit in route for route in usable):
            return f"convoys {name}"
        if usable:
            return f"could convoy {name}, which has another path"
        if self._is_stopped_in_a_cycle(army):
            return f"{self._settling_rule} stops {name}"
        if not any(unit in route for route in routes):
            where = self._province(self._equations.target[unit])
            return f"is in no chain of fleets by which {name} could reach {where}"
        return f"could convoy {name}, but {self._why_all_lost(sorted({*itertools.chain(*routes)}))}"

    def _battle(self, unit: int, *, all_barriers: bool = True) -> Iterable[str]:
        """Name the strengths that a move has to overcome, or those alone that it does not."""
        equations = self._equations
        if not equations.path(unit, optimistic=True):
            return
        defender = equations.occupant[equations.target[unit]]
        if equations.attack_strength(unit, optimistic=True) == 0 and defender >= 0:
            yield f"it does not attack {self._name(defender)}, which is of the same power and does not leave"
            return
        if not equations.resolution[unit] and self._explained.is_settled_by_rule(unit):
            yield f"fails by {self._settling_rule}"
        for barrier in self._explained.barriers(unit):
            if barrier.overcome and not (all_barriers and barrier.strength):
                continue
            name = (self._move_name if barrier.kind == "prevent" else self._name)(barrier.unit)
            strength, against = map(equations.shown_strength, (barrier.strength, barrier.against))
            beats = f"strength {against} {'beats' if barrier.overcome else 'does not beat'}"
            head_to_head = ", head to head" if barrier.kind == "defend" else ""
            yield f"{beats} the {barrier.kind} strength {strength} of {name}{head_to_head}"

    def _support(self, unit: int) -> Iterable[str]:
        if self._explained.is_support_without_match(unit):
            yield f"void: {self._why_void(unit)}"
            return
        equations = self._equations
        cutters: list[str] = []
        for attacker in self._explained.cutters(unit):
            dislodges = equations.home[attacker] == equations.target[unit] and equations.resolution[attacker]
            how = " (coming from where the support is directed, by dislodging)" if dislodges else ""
            cutters.append(f"{self._move_name(attacker)}{how}")
        if cutters:
            yield f"cut by {listed(cutters)}"
        for attacker, why in self._explained.harmless(unit):
            by_land = equations.routes[attacker] is None
            issue = {"from-where-directed": "" if by_land else "4.A.4", "spared": "4.A.2"}.get(why)
            yield f"{self._move_name(attacker)}: {_HARMLESS[why]}{f' ({self.choice(issue)})' if issue else ''}"

    def _why_void(self, unit: int) -> str:
        effect = self._effects[unit]
        other = self._equations.occupant[effect.helped]
        name, supported = self._name(other), self._effects[other]
        goes = supported.kind == MOVE
        if effect.target == effect.helped:
            if not goes:
                return f"{name} is in civil disorder ({self.choice('4.D.9')})"
            if supported.target >= 0:
                return f"{name} is ordered to move, and a move is not supported to hold"
            where = "is ordered to move where it cannot go, and that is not supported to hold"
            return f"{name} {where} ({self.choice('4.E.1')})"
        if goes and supported.target == effect.target and self._equations.kind[other] == HOLD:
            return f"{name} stays: no fleet is ordered to convoy it ({self._unconvoyed})"
        if goes and supported.target == effect.target:
            return f"the coast is not the one that {name} goes to ({self.choice('4.B.4')})"
        if goes:
            to = self._province(supported.target) if supported.target >= 0 else "where it cannot go"
            return f"{name} is ordered to {to}"
        if self._follows_none_of_several(other):
            return f"{name} follows none of its several orders ({self.choice('4.D.3')})"
        return f"{name} {'is not ordered to move' if other in self._explained.followed else 'has no legal order'}"


_HARMLESS: Mapping[str, str] = {
    "countryman": "a move of the same power cuts nothing",
    "no-path": "it has no path, so it cuts nothing",
    "no-strength": "over a difficult passage it has no strength without support, so it cuts nothing",
    "from-where-directed": "coming from where the support is directed, cuts it only by dislodging",
    "from-last-fleet": "coming from a last fleet under attack, cuts it only by dislodging (v3.2-4.A.4)",
    "spared": "the rule for paradoxes spares the support from it",
}
"""Why a move against a supporting unit does not cut the support."""
