"""Why the army on a railway comes as far as it does (DATC 2.4, chapter 7.B)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...reference_engine.equations import OPTIMISTIC
from ...reference_engine.railway import AlongRailway
from ...reference_engine.resolved_order import MOVE


def along_railway(
    equations: AlongRailway, unit: int, name: Callable[[int], str], province: Callable[[int], str]
) -> Iterable[str]:
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
        yield _what_stops_it(equations, name, province)
        before = "the last empty province before" if stop >= 0 else "as no province before is empty"
        yield f"stops in {province(stop)}, {before}" if stop >= 0 else f"stays, {before}"


def _what_stops_it(equations: AlongRailway, name: Callable[[int], str], province: Callable[[int], str]) -> str:
    facing = equations.occupant[equations.way[0]]
    if equations.is_head_on(facing):
        return f"cannot pass {name(facing)}, which comes the other way"
    for place in equations.way[:-1]:
        if equations.is_kept(place):
            how = "moves along the railway" if equations.kind[equations.occupant[place]] == MOVE else "stays"
            return f"cannot pass {name(equations.occupant[place])}, which {how}"
        for mover in equations.attackers[place]:
            if equations.is_foreign(mover) and equations.would_enter(mover, OPTIMISTIC):
                return f"meets {name(mover)} in {province(place)}"
    target = equations.way[-1]
    if not equations.is_left(target, OPTIMISTIC):
        return f"{name(equations.occupant[target])} does not leave, and an army on the railway dislodges nobody"
    rivals = {rival: equations.prevent_strength(rival, OPTIMISTIC) for rival in equations.attackers[target]}
    rival = max(rivals, key=rivals.__getitem__)
    strength = equations.attack_strength(equations.train, OPTIMISTIC)
    move = f"{name(rival)} - {province(target)}"
    return f"strength {strength} does not beat the prevent strength {rivals[rival]} of {move}"
