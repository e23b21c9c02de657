"""Who gets where: the decisions of a movement phase, taken as soon as enough of the others are.

Each decision is True, False, or None while it is open; a strength is the least and the most that it can still be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .board import ARMIES, FLEETS, SEAS, province, routes
from .orders import Message, Order, carries, read_orders, supports


class Strength(NamedTuple):
    """The least and the most that a strength can still be."""

    least: int
    most: int


NONE = Strength(0, 0)


class Movement:
    """The decisions about the orders of a phase."""

    def __init__(self, orders: dict[str, Order]) -> None:
        self.orders = orders
        self.moves = {code: None if order.type == "move" else False for code, order in orders.items()}
        self.arrives: dict[str, bool | None] = dict.fromkeys(self.moves)
        self.dislodged: dict[str, bool | None] = dict.fromkeys(orders)
        self.cut: dict[str, bool | None] = dict.fromkeys(orders)

    def decide(self) -> None:
        """Take all decisions."""
        while True:
            while self._take_what_is_clear():
                pass
            still_open = [code for code, moved in self.moves.items() if moved is None]
            if not still_open:
                return
            circle = next(filter(None, map(self._circle, still_open)), None)
            if circle:
                for code in circle:
                    self.moves[code] = True
            else:
                self._disrupt_the_paradox()

    def _take_what_is_clear(self) -> bool:
        """Take each decision that the others make clear; say whether there was any."""
        taken = False
        questions = ((self.arrives, self._arrives), (self.moves, self._moves))
        questions += ((self.cut, self._is_cut), (self.dislodged, self._is_dislodged))
        for decisions, question in questions:
            for code in [code for code, known in decisions.items() if known is None]:
                decisions[code] = question(self.orders[code])
                taken |= decisions[code] is not None
        return taken

    def _arrives(self, order: Order) -> bool | None:
        """Whether an order's way is open: for a convoyed army, whether one route is left."""
        if order.type != "move":
            return False
        if not order.by_convoy:
            return True
        carriers = {code for code, other in self.orders.items() if carries(other, order)}
        safe = {code for code in carriers if self.dislodged[code] is False}
        lost = {code for code in carriers if self.dislodged[code]}
        if routes(order.origin, order.target, safe):
            return True
        return None if routes(order.origin, order.target, carriers - lost) else False

    def _moves(self, order: Order) -> bool | None:
        attack = self._attack(order)
        against = [self._prevent(other) for other in self._movers_to(order.target) if other is not order]
        opponent = self._head_on(order)
        against.append(self._with_support(opponent) if opponent else self._hold(order.target))
        if all(attack.least > other.most for other in against):
            return True
        return False if any(attack.most <= other.least for other in against) else None

    def _is_cut(self, order: Order) -> bool | None:
        """Whether a support is cut: by an attack from elsewhere than where it helps, or with its unit dislodged."""
        if order.type != "support":
            return True
        front = province(order.to) or order.helped
        attackers = [a for a in self._movers_to(order.origin) if a.origin != front and a.power != order.power]
        return _any([*(self.arrives[attacker.origin] for attacker in attackers), self.dislodged[order.origin]])

    def _is_dislodged(self, order: Order) -> bool | None:
        if self.moves[order.origin]:
            return False
        entered = _any([self.moves[other.origin] for other in self._movers_to(order.origin)])
        return None if entered and self.moves[order.origin] is None else entered

    def _attack(self, order: Order) -> Strength:
        there = self.orders.get(order.target)
        whole = self._with_support(order)
        if there is not None and (there.type != "move" or self._head_on(order) or self.moves[there.origin] is not True):
            against = NONE if there.power == order.power else self._with_support(order)
            leaves = there.type == "move" and not self._head_on(order) and self.moves[there.origin] is None
            whole = Strength(against.least, whole.most) if leaves else against
        return self._if_it_arrives(order, whole)

    def _prevent(self, order: Order) -> Strength:
        return self._if_it_arrives(order, self._with_support(order))

    def _hold(self, code: str) -> Strength:
        order = self.orders.get(code)
        if order is None:
            return NONE
        if order.type != "move":
            return self._with_support(order)
        moved = self.moves[code]
        return Strength(0 if moved is not False else 1, 0 if moved else 1)

    def _if_it_arrives(self, order: Order, strength: Strength) -> Strength:
        arrives = self.arrives[order.origin]
        return Strength(strength.least if arrives else 0, 0 if arrives is False else strength.most)

    def _with_support(self, order: Order) -> Strength:
        """Count a unit and its supports."""
        helpers = [other for other in self.orders.values() if supports(other, order)]
        cuts = [self.cut[helper.origin] for helper in helpers]
        return Strength(1 + cuts.count(False), 1 + cuts.count(False) + cuts.count(None))

    def _movers_to(self, code: str) -> Iterator[Order]:
        return (order for order in self.orders.values() if order.type == "move" and order.target == code)

    def _head_on(self, order: Order) -> Order | None:
        """Name the unit that comes the other way, if neither goes by sea."""
        there = self.orders.get(order.target)
        if there is None or there.type != "move" or there.target != order.origin:
            return None
        return None if there.by_convoy or order.by_convoy else there

    def _circle(self, start: str) -> list[str]:
        """Name the units that follow each other in a circle from this one, if they do and all can."""
        chain = [start]
        while self.arrives[chain[-1]]:
            goal = self.orders[chain[-1]].target
            if goal == start:
                return chain
            if goal in chain or self.moves.get(goal, False) is not None:
                return []
            chain.append(goal)
        return []

    def _disrupt_the_paradox(self) -> None:
        """Stop the convoyed armies that nothing decides about: they go nowhere and do nothing there."""
        for code, arrives in self.arrives.items():
            if arrives is None:
                self.arrives[code] = False
                self.moves[code] = False

    def retreats(self, order: Order, attacker: Order) -> list[str]:
        """Name where a dislodged unit may go."""
        closed = {code for code in self.orders if not self.moves[code] and not self.dislodged[code]}
        closed |= {other.target for code, other in self.orders.items() if self.moves[code]}
        closed |= {other.target for code, other in self.orders.items() if not self.moves[code] and self._bounced(other)}
        if not attacker.by_convoy:
            closed.add(attacker.origin)
        reached = ARMIES[order.origin] - SEAS if order.kind == "A" else FLEETS[order.location]
        return sorted(place for place in reached if province(place) not in closed)

    def _bounced(self, order: Order) -> bool:
        return order.type == "move" and self._prevent(order).most > 0


def _any(decisions: Iterable[bool | None]) -> bool | None:
    known = list(decisions)
    return True if True in known else None if None in known else False


def play_movement(params: Message) -> Message:
    """Answer a movement phase."""
    orders = read_orders(params["units"], params["orders"])
    movement = Movement(orders)
    movement.decide()
    units = [
        {"power": order.power, "type": order.kind, "location": order.to if movement.moves[code] else order.location}
        for code, order in orders.items()
        if not movement.dislodged[code]
    ]
    dislodged: list[Message] = []
    for code, order in orders.items():
        if movement.dislodged[code]:
            attacker = next(o for o in orders.values() if o.target == code and movement.moves[o.origin])
            unit = {"power": order.power, "type": order.kind, "location": order.location}
            dislodged.append({**unit, "from": attacker.origin, "retreats": movement.retreats(order, attacker)})
    return {"units": units, "dislodged": dislodged}
