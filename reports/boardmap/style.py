"""The style of the boards. Its colours are properties of `.dm`, so that a page can force light or dark."""

from __future__ import annotations

_LIGHT = (
    "--ink:#16181d;--halo:#fffffff0;--bad:#d1001f;--void:#5f6368;--help:#0a6640;--carry:#1b57c4;--note:#b5179e;"
    "--edge:#16181d"
)
_DARK = (
    "--ink:#f4f5f7;--halo:#101418e8;--bad:#ff5468;--void:#b4bac2;--help:#6fe0a8;--carry:#8fb8ff;--note:#ff8cf0;"
    "--edge:#f4f5f7"
)

POWERS = {
    "aus": ("#b3261e", "#fff"),
    "eng": ("#1f3f94", "#fff"),
    "fra": ("#4fb3e8", "#111"),
    "ger": ("#4a4d52", "#fff"),
    "ita": ("#2c8a3e", "#fff"),
    "rus": ("#f5f2ea", "#111"),
    "tur": ("#f2c81f", "#111"),
    "oth": ("#9a7aa8", "#111"),
}
"""The colour of each power's units and that of the letter on them; the last is for any other."""

_powers = "".join(f".dm .{name}{{fill:{unit};color:{letter}}}" for name, (unit, letter) in POWERS.items())

STYLE = (
    f".dm,.dm.light{{{_LIGHT}}}"
    f"@media(prefers-color-scheme:dark){{.dm{{{_DARK}}}}}"
    f".dm.light,[data-theme=light] .dm{{{_LIGHT}}}.dm.dark,[data-theme=dark] .dm{{{_DARK}}}"
    ".dm{font:700 14px system-ui,sans-serif;display:block;width:100%;height:auto}"
    ".dm-shared{position:absolute}"
    ".dm .move,.dm .ret{--c:var(--ink);--w:2.6}"
    ".dm .may{--c:var(--ink);--w:1.5}"
    ".dm .sup{--c:var(--help);--w:2}"
    ".dm .con{--c:var(--carry);--w:2}"
    ".dm .hold{--c:var(--ink);--w:1.8}"
    ".dm .build{--c:var(--help);--w:2.6}"
    ".dm .out{--c:var(--bad);--w:3.4}"
    ".dm .no{--c:var(--bad)}"
    ".dm .void{--c:var(--void)}"
    ".dm .move path,.dm .ret path,.dm .may path,.dm .sup path,.dm .con path,.dm .hold path,.dm .build path,.dm .out path"
    "{fill:none;stroke:var(--c);stroke-width:var(--w);stroke-linecap:round;stroke-linejoin:round}"
    ".dm .sup path{stroke-dasharray:6 4;stroke-linecap:butt}"
    ".dm .may path{stroke-dasharray:3 3;stroke-linecap:butt}"
    ".dm .void path{stroke-dasharray:.1 4.4;stroke-linecap:round}"
    ".dm .hold.no path.o{stroke-dasharray:5 4}"
    ".dm g path.h{stroke:var(--halo);stroke-width:calc(var(--w) + 3px);stroke-dasharray:none}"
    ".dm g path.p{fill:var(--c);stroke-width:.8;stroke-dasharray:none}"
    ".dm g path.b{stroke-width:3.4;stroke-dasharray:none}"
    ".dm g path.x,.dm g path.w{stroke-dasharray:none;stroke-linecap:round}"
    ".dm .sup path.x,.dm .void path.x{stroke-width:2.6}"
    ".dm g path.g{stroke-dasharray:.1 4.4;stroke-width:1.6;stroke-linecap:round}"
    ".dm g path.j{stroke-width:6.5;stroke-linecap:round;stroke-dasharray:none}"
    ".dm .u{stroke:var(--edge);stroke-width:1.4}"
    ".dm .u text{stroke:none;fill:currentColor;text-anchor:middle}"
    ".dm .u .z{fill:none;stroke:var(--bad);stroke-width:5;stroke-dasharray:2.6 2.45}"
    ".dm .u.gone .z{stroke:none}"
    ".dm .u .x{fill:none;stroke:var(--bad);stroke-width:3.6;stroke-linecap:round}"
    ".dm .u.missing .z,.dm .u.unexpected .z{stroke:var(--note);stroke-width:3;stroke-dasharray:none}"
    ".dm .u.missing .z{stroke-dasharray:5 3.4}"
    ".dm .u.missing{fill-opacity:.35}"
    ".dm .own{stroke:var(--edge);stroke-width:1}"
    f"{_powers}"
)
