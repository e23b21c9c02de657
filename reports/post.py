"""A post for a forum or a chat: a position, its result and why, as Markdown, BBCode or Discord text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from .findings import Line, laid_out
from .text import one_line, printable

DISCORD_LIMIT = 2000
"""The characters of a message on Discord."""
_PLAIN = re.compile(r"(?!.*(?:://|www\.))[\w \-.,:;'()=/+%&?]*", re.ASCII)
"""A text in which no forum finds markup, an address, somebody's name or the number of an issue."""


@dataclass(frozen=True)
class Post:
    """What a post says."""

    title: str
    position: str
    """The position with its orders, as it can be pasted again."""
    result: str
    """What happens under all rulesets, in a sentence; empty where they were not compared."""
    reasons: Sequence[tuple[str, str]]
    """The phases with their rules, and why each has its result."""
    rulesets: Sequence[str] = ()
    """The outcomes and who gives them, and the issues that they depend on."""
    notes: Sequence[str] = ()
    """What was guessed to read the position, and what the text has differently from the rules."""
    details: Sequence[str | Line] = ()
    """What only Markdown has room for."""
    link: str = ""
    """Where the position can be tried."""


class PostStyle(NamedTuple):
    """How a format marks up a post; `{}` stands for a text."""

    bold: str
    block: str
    items: str
    item: str
    literal: str
    """Shows a text in which there may be markup."""
    harmless: Mapping[int, str] = {}
    """Characters that could break out of a block, and what stands in their place."""
    heading: str = "{1}"
    """A heading: `{0}` is a `#` for each level, `{1}` the text."""
    limit: int = 0
    """The most characters; 0 sets no limit."""
    has_details: bool = False


_NO_FENCE = str.maketrans({"`": "'"})
_NO_TAG = str.maketrans({"[": "(", "]": ")"})
_TAGGED = "[code]{}[/code]"
STYLES: Mapping[str, PostStyle] = {
    "markdown": PostStyle(
        "**{}**", "```text\n{}\n```", "{}", "- {}", "`{}`", _NO_FENCE, "{0} {1}", 0, has_details=True
    ),
    "bbcode": PostStyle("[b]{}[/b]", _TAGGED, "[list]\n{}\n[/list]", "[*]{}", _TAGGED, _NO_TAG, "[b]{1}[/b]"),
    "discord": PostStyle("**{}**", "```\n{}\n```", "{}", "- {}", "`{}`", _NO_FENCE, "**{1}**", limit=DISCORD_LIMIT),
}


def write_post(post: Post, style: PostStyle) -> str:
    """Write a post. Where it is too long for its place, it leaves out rulesets, notes and reasons, and says so."""
    text = _written(post, style)
    while style.limit and len(text) > style.limit and (post.rulesets or post.notes or post.reasons):
        post = replace(
            post,
            rulesets=post.rulesets[:-1],
            notes=post.notes if post.rulesets else post.notes[:-1],
            reasons=post.reasons if post.rulesets or post.notes else post.reasons[:-1],
        )
        text = _written(replace(post, notes=[*post.notes, "More did not fit here."]), style)
    return text if not style.limit else text[: style.limit]


def plain(text: str, style: PostStyle) -> str:
    """Return a text on one line, marked as literal where a forum could find markup in it."""
    line = printable(one_line(text))
    return line if _PLAIN.fullmatch(line) else style.literal.format(line.translate(style.harmless))


def _written(post: Post, style: PostStyle) -> str:
    def shown(text: str) -> str:
        return plain(text, style)

    def block(text: str) -> str:
        return style.block.format(printable(text).rstrip().translate(style.harmless))

    def items(texts: Sequence[str]) -> str:
        return style.items.format("\n".join(style.item.format(shown(each)) for each in texts)) if texts else ""

    paragraphs = [
        style.bold.format(shown(post.title)),
        block(post.position) if post.position else "",
        style.bold.format(shown(post.result)) if post.result else "",
        *(f"{style.bold.format(f'{shown(phase)}:')} {shown(why)}" for phase, why in post.reasons),
        items(post.rulesets),
        items(post.notes),
        block("\n".join(laid_out(post.details))) if post.details and style.has_details else "",
        f"Try it: {post.link}" if post.link else "",
    ]
    return "\n\n".join(filter(None, paragraphs)) + "\n"
