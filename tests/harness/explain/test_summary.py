"""The paragraph that answers, before any detail, what happened and why."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from datc.harness.cli.group import cli


def paragraph(*arguments: str, given: str | None = None) -> str:
    """The first paragraph below the last date."""
    done = CliRunner().invoke(cli, ["explain", *arguments], input=given)
    assert done.exit_code == 0
    _, _, rest = done.output.rpartition("by datc-3.2\n")
    return " ".join(rest.partition("\n\n")[0].split())


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            "France: A Par - Bur, A Mar S A Par - Bur\nItaly: A Pie - Mar\nGermany: A Bur H",
            "France's A Paris does not reach Burgundy: strength 1 does not beat the hold strength 1 of A Burgundy; "
            + "the support of A Marseilles is cut. "
            + "Italy's A Piedmont does not reach Marseilles: "
            + "strength 1 does not beat the hold strength 1 of A Marseilles. "
            + "France's A Marseilles does not give its support: cut by A Piedmont - Marseilles.",
        ),
        (
            "England: F Wes - Tys, F Tun S F Wes - Tys\nItaly: A Nap - Rom, F Tys C A Nap - Rom",
            "Italy's A Naples does not reach Rome: no path by F Tyrrhenian Sea: F Tyrrhenian Sea is dislodged; "
            + "not over land (4.A.3 = 2000-no-fallback). England's F Western Mediterranean moves to Tyrrhenian Sea. "
            + "Italy's F Tyrrhenian Sea is dislodged.",
        ),
        ("France: A Par H", "Nothing moves."),
        (
            "France: A Par - Lon",
            "France's A Paris does not reach London: London is not adjacent to Paris, "
            + "and no fleets stand where they could convoy it.",
        ),
    ],
)
def test_a_paragraph_of_movements(given: str, told: str) -> None:
    assert paragraph("-", given=given) == told


@pytest.mark.parametrize(
    ("case", "told"),
    [
        ("6.J.3", "Russia has to remove 1 unit. A Prussia goes before A Livonia, which is nearer. "
                  + "Russia's A Prussia is removed."),
        ("6.H.10", "England's order 'A Kiel - Berlin' fails: its attacker came from there; it may retreat to Denmark, "
                   + "Holland and Ruhr. England's A Kiel is disbanded. Germany's A Prussia retreats to Berlin."),
    ],
)  # fmt: skip
def test_a_paragraph_of_later_phases(case: str, told: str) -> None:
    assert paragraph(case) == told


def test_a_long_paragraph_is_cut() -> None:
    provinces = ["Mar", "Pie", "Ven", "Tyr", "Mun", "Boh", "Gal", "War", "Lvn", "Fin"]
    given = "\n".join(f"Italy: A {province} - Lon" for province in provinces)
    assert "2 more things happen, which are explained below." in paragraph("-", given=given)
