"""What was counted in an adjustment phase: centers and units, where a power may build, and who is removed and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import final

from ...reference_engine import OrderedUnit, Position, Reason, Ruleset, Unit, province_code
from ...reference_engine.civil_disorder import ALPHABET, FAR, REMOVAL_RULES, RemovalCandidate, homes, removal_candidates
from ...reference_engine.orders import Build, GivenOrder, Remove, Waive
from ...reports.vocabulary import listed
from .sentences import OTHER_PHASE, UNREADABLE, Sentences


@dataclass(frozen=True)
class BuildSite:
    """A home supply center, and why a power may build there or not."""

    province: str
    is_open: bool
    why: str


@dataclass(frozen=True)
class RemovalExplanation:
    """What the rule for civil disorder (4.D.8) looks at in a unit; the first of the list is removed first."""

    unit: str
    location: str
    distance: int | None
    """Steps to the nearest goal of the rule; `None` where the unit can reach none."""
    way: Sequence[str]
    """A shortest way, from where the unit stands to the goal, both named."""
    removed: str
    """`by order`, `by rule`, or empty."""
    why: str
    """The place in the list, in words."""


@dataclass(frozen=True)
class PowerAdjustment:
    """The balance of a power that may build, or has to remove units."""

    power: str
    centers: Sequence[str]
    units: Sequence[str]
    builds: int
    """How many units it may build; below 0: how many it has to remove."""
    sites: Sequence[BuildSite] = ()
    removals: Sequence[RemovalExplanation] = ()
    compared: Sequence[str] = ()
    """Why the rule removes the last of its units rather than those that stay: one sentence for each reason."""
    sentences: Sequence[str] = ()


_GOALS = {"2023": "a supply center that its power owns", "2000-country": "a province of its home country"}
"""What distances lead to, by the choice of 4.D.8; by the others, a home supply center."""
_WITHOUT_CONVOYS = frozenset({"2023", "2000-country", "dptg", "1971-all-abilities"})
"""The choices of 4.D.8 that count no way by convoy as one."""


@final
class AdjustmentSentences(Sentences):
    """Writes sentences about builds and removals."""

    def __init__(
        self, position: Position, after: Collection[Unit], orders: Sequence[GivenOrder], ruleset: Ruleset
    ) -> None:
        """`after` are the units on the board afterwards, `orders` those of the phase."""
        super().__init__(position, ruleset)
        self._after = after
        self._orders = orders

    def balances(self, followed: Iterable[GivenOrder]) -> Sequence[PowerAdjustment]:
        """Explain what each power may build, or has to remove, and why; `followed` are the orders carried out."""
        removes = [(power, order) for power, order in followed if isinstance(order, Remove)]
        ordered = {(power, province_code(order.unit.location)) for power, order in removes}
        found: list[PowerAdjustment] = []
        for power in self.board.powers:
            balance, centers = self._balance(power), sorted(self.position.counted(power))
            if balance == 0:
                continue
            units = [unit for unit in self.position.units if unit.power == power]
            named = f": {self.places(centers)}" if centers else ""
            counted = f"supply centers{named}; units: {listed(map(self.unit, units))}"
            sites, built = self._builds(power, balance) if balance > 0 else ((), ())
            removals, compared, removed = self._removals(power, -balance, ordered) if balance < 0 else ((), (), ())
            places, sentences = [unit.location for unit in units], [counted, *built, *removed, *compared]
            found.append(PowerAdjustment(power, centers, places, balance, sites, removals, compared, sentences))
        return found

    def _balance(self, power: str) -> int:
        return len(self.position.counted(power)) - self.position.power.count(power)

    def _builds(self, power: str, balance: int) -> tuple[Sequence[BuildSite], Sequence[str]]:
        closed = {center: self._why_closed(power, center) for center in homes(self.position, power)}
        sites = [BuildSite(center, not why, why or "owned and vacant") for center, why in closed.items()]
        may_build = [center for center, why in closed.items() if not why]
        sentences = [f"open for builds: {self.places(may_build)}"]
        if len(may_build) < len(sites):
            listing = listed(f"{self.place(center)} ({why})" for center, why in closed.items() if why)
            sentences.append(f"closed for builds: {listing}")
        if len(may_build) < balance:
            count = f"{len(may_build)} only" if may_build else "none"
            sentences.append(f"it can build {count}: a unit is built in a home center that is open")
        return sites, sentences

    def _why_closed(self, power: str, center: str) -> str:
        if center not in self.position.centers.get(power, ()):
            owner = next((other for other, owned_by in self.position.centers.items() if center in owned_by), None)
            return f"it belongs to {self.board.power_name(owner)} now" if owner else "its power does not own it"
        standing = self.unit_at(center)
        return f"{self.owned(standing)} stands there" if standing else ""

    def _removals(
        self, power: str, count: int, ordered: Collection[tuple[str, str]]
    ) -> tuple[Sequence[RemovalExplanation], Sequence[str], Sequence[str]]:
        candidates = removal_candidates(self.position, power, self.ruleset)
        removed = {
            unit: "by order" if (power, province_code(unit.location)) in ordered else "by rule"
            for unit, *_ in candidates
            if unit not in self._after
        }
        removals: list[RemovalExplanation] = []
        for each in candidates:
            distance = None if each.distance >= FAR else each.distance
            said = (distance, each.way, removed.get(each.unit, ""), self._distance(each))
            removals.append(RemovalExplanation(self.unit(each.unit), each.unit.location, *said))
        left = [each for each in candidates if removed.get(each.unit) != "by order"]
        by_order = len(candidates) - len(left)
        if by_order == count:
            return removals, (), ()
        by_rule = listed(self.unit(each.unit) for each in left if each.unit in removed)
        rule = f"by the rule for civil disorder ({self.choice('4.D.8')}): {by_rule}"
        sentences = [f"removed by order: {by_order} of {count}; {rule}"]
        sentences += [f"{each.unit}: {each.why}" for each in removals]
        going = count - by_order
        return removals, self._comparisons(left[going - 1], left[going:]) if going > 0 else (), sentences

    def _distance(self, candidate: RemovalCandidate) -> str:
        goal = _GOALS.get(self.ruleset.choices["4.D.8"], "a home supply center")
        if candidate.distance >= FAR:
            return f"distance without limit: it can reach no {goal.removeprefix('a ')}"
        end = self.place(candidate.way[-1])
        spared = "; on a supply center, so it goes last" if candidate.is_spared else ""
        if candidate.distance == 0:
            return f"distance 0: {end} is {goal}{spared}"
        number, borders, by_sea = self.board.number, self.board.army_borders, ""
        if candidate.unit.type == "A" and self.ruleset.choices["4.D.8"] not in _WITHOUT_CONVOYS:
            steps = zip(candidate.way, candidate.way[1:], strict=False)
            # Only a convoy brings an army from coast to coast.
            if any(not borders[number[here]] >> number[there] & 1 for here, there in steps):
                by_sea = " (by convoy)"
        over = f", over {self.places(candidate.way[1:-1])}" if candidate.way[1:-1] else ""
        return f"distance {candidate.distance} to {end}, {goal}{over}{by_sea}{spared}"

    def _comparisons(self, last: RemovalCandidate, staying: Iterable[RemovalCandidate]) -> Sequence[str]:
        """Say why the last unit that the rule removes goes before each that stays, one sentence for each reason."""
        reasons: dict[tuple[str, str], list[str]] = {}
        for each in staying:
            names = reasons.setdefault(self._why_before(last, each), [])
            names.append(f"{self.unit(each.unit)} ({_shown(each.distance)})")
        goes = f"{self.unit(last.unit)} (distance {_shown(last.distance)}) goes before"
        return [
            f"{goes} {listed(names)}{one if len(names) == 1 else several}" for (one, several), names in reasons.items()
        ]

    def _why_before(self, last: RemovalCandidate, stays: RemovalCandidate) -> tuple[str, str]:
        """Say why a unit is removed before another one: behind the name of one such unit, and of several."""
        if last.is_spared != stays.is_spared:
            return ", which stands on a supply center", ", which stand on supply centers"
        if last.distance != stays.distance:
            return ", which is nearer", ", which are nearer"
        if REMOVAL_RULES[self.ruleset.choices["4.D.8"]].takes_fleets_first and last.unit.type != stays.unit.type:
            fleets_first = ": the distances are equal, and fleets go before armies"
            return fleets_first, fleets_first
        alphabet = self.choice("X.17") if ALPHABET[self.ruleset.choices["X.17"]] else "by the names on the map"
        first = f": all else is equal, and {last.name} comes before {stays.name} in the alphabet ({alphabet})"
        return first, first

    def why_failed(self, given: GivenOrder, reason: Reason) -> str:
        power, order = given
        balance = self._balance(power)
        if reason == "ignored":
            return self._why_ignored(given, balance)
        if isinstance(order, Remove) and balance >= 0:
            return "its power has nothing to remove"
        if isinstance(order, Remove):
            unit = self.unit_at(order.unit.location)
            if unit is None:
                return self.no_unit(order.unit.location)
            is_own = unit.power == power
            return self.not_named(unit) if is_own else f"it is for {self.owned(unit)}, which belongs to another power"
        if isinstance(order, (Build, Waive)) and balance <= 0:
            return "its power has nothing to build"
        if isinstance(order, Build):
            return self._why_no_build(power, order.unit)
        if isinstance(order, Waive):
            return f"a build cannot be declined ({self.choice('4.D.7')})"
        return UNREADABLE if order is None else OTHER_PHASE

    def _why_ignored(self, given: GivenOrder, balance: int) -> str:
        power, order = given
        too_many_builds = f"it is one too many: its power may build {balance} ({self.choice('4.D.4')})"
        if not isinstance(order, (Build, Remove)):
            return too_many_builds
        at, kind = province_code(order.unit.location), type(order)
        others = (other for other in self._orders if other.power == power)
        same = [
            each for each in others if isinstance(each.order, kind) and province_code(each.order.unit.location) == at
        ]
        if isinstance(order, Remove):
            is_first = len(same) < 2 or same[0] is given
            too_many = f"it is one too many: its power has to remove {-balance} ({self.choice('4.D.6')})"
            return too_many if is_first else "another order removes the same unit"
        if len(same) < 2:
            return too_many_builds
        is_built = any(province_code(unit.location) == at and unit.power == power for unit in self._after)
        what = "another order" if is_built else "none of several orders"
        return f"{what} to build there is followed ({self.choice('4.D.5')})"

    def _why_no_build(self, power: str, unit: OrderedUnit) -> str:
        province = self.board.province(unit.location)
        if province is None:
            return f"there is no place {unit.location} on the board"
        if province.code not in self.board.supply_centers:
            return f"{province.name} is not a supply center"
        if not self.board.builds_anywhere and province.code not in homes(self.position, power):
            return f"{province.name} is not a home supply center of its power"
        if province.code not in self.position.centers.get(power, ()):
            return f"{province.name} does not belong to its power now"
        if closed := self._why_closed(power, province.code):
            return closed
        if unit.power not in (None, power):
            return "it names a unit of another power"
        if "/" in unit.location and unit.location not in self.board.number and self.is_chosen("4.B.6", "fail"):
            return f"{self.place(unit.location)} is no coast (4.B.6 = fail)"
        if unit.type is None:
            return f"it does not say army or fleet ({self.choice('4.C.3')})"
        if unit.type == "A":
            return f"an army cannot stand on a coast, {self.place(unit.location)} ({self.choice('4.B.6')})"
        if province.terrain == "inland":
            return f"a fleet cannot stand in {province.name}, which is inland ({self.choice('4.C.4')})"
        coasts = self.places((f"{province.code}/{coast}" for coast in province.coasts), " or ")
        return f"it does not say on which coast: {coasts} ({self.choice('4.B.7')})"


def _shown(distance: int) -> str:
    return "without limit" if distance >= FAR else str(distance)
