"""Orders that are drawn again and again, each made once: the engine keeps on an order what it made of it."""

from functools import cache, partial
from typing import Final

from ...reference_engine import Build, Convoy, Hold, Move, Remove, SupportHold, SupportMove

hold: Final = cache(Hold)
move: Final = cache(Move)
move_by_convoy: Final = cache(partial(Move, via_convoy=True))
support_hold: Final = cache(SupportHold)
support_move: Final = cache(SupportMove)
convoy: Final = cache(Convoy)
build: Final = cache(Build)
remove: Final = cache(Remove)
