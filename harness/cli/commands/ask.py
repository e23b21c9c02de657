"""`datc-check ask`: send an engine the requests of a trace again, or a position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from ....adapters import open_engine
from ....cases import Case
from ....reference_engine import DatcCheckError
from ....reference_engine.errors import printable
from ...config.preparing import input_name, open_config_engine, read_input, read_positions
from ...errors import HarnessError
from ...play.verdict import Rules
from ...run.replay_requests import Exchange, Resent, position_exchanges, read_exchanges, resend
from ..command import EXIT_NOT_PASSED, EXIT_PASSED, Command, echo
from ..options import ca_file_option, config_option, timeout_option

_SAYS = {
    "same": "the same as recorded",
    "different": "not the same as recorded",
    "unrecorded": "nothing was recorded",
}


@click.command("ask", cls=Command)
@click.argument("engine")
@click.argument("file", type=click.Path(allow_dash=True))
@timeout_option
@ca_file_option
@config_option
@click.pass_context
def command(
    ctx: click.Context, engine: str, file: str, timeout: float | None, ca_file: Path | None, config_file: Path | None
) -> None:
    r"""Send ENGINE the requests in FILE again, or the position in it, and print its answers as they are.

    FILE is a trace (`run --trace DIR`), a request of the protocol, or several, one a line, or a position as `explain`
    reads it: orders as people write them, or TOML. - is standard input. The answers go to standard output, one a line,
    and to standard error whether they are the same as recorded: the board after the phase and the outcomes of orders.
    The engine is not started again when it breaks down. Exit codes: 0 all are the same, or can be judged where nothing
    was recorded; 1 some are not; 3 the engine could not be asked to the end.

    \b
    datc-check ask mine traces/datc-3.2+6.F.9.jsonl
    datc-check ask "exec:./my-engine --json-rpc" request.json
    echo "Austria A Ser-Bud; Russia A Rum-Bud" | datc-check ask mine -
    """
    prepared = open_config_engine(engine, config_file, timeout, None, {}, ca_file=ca_file)
    exchanges = _read(read_input(file), input_name(file), prepared.rules)
    is_wrong = False
    with open_engine(prepared.spec, replace(prepared.limits, restarts=0)) as opened:
        _ = opened.start()
        for number, (exchange, resent) in enumerate(zip(exchanges, resend(opened, exchanges), strict=True), 1):
            if resent.text:
                echo(resent.text, as_json=True)
            echo(_line(number, exchange, resent), err=True)
            is_wrong |= resent.compared == "different" or (resent.compared == "unrecorded" and bool(resent.failed))
    ctx.exit(EXIT_NOT_PASSED if is_wrong else EXIT_PASSED)


def _read(content: bytes, name: str, rules: Rules) -> Sequence[Exchange]:
    """Read requests or positions. Raises `HarnessError` for what is neither."""
    try:
        return read_exchanges(content, name)
    except HarnessError as error:
        try:
            cases = read_positions(content.decode("utf-8"), name)
        except UnicodeDecodeError:
            raise error from None
        except DatcCheckError as other:
            raise HarnessError(f"{error}\nAs a position: {other}") from other
    for line in _remarks(cases):
        echo(line, err=True)
    return position_exchanges(cases, rules)


def _remarks(cases: Sequence[Case]) -> Sequence[str]:
    """Say what was guessed or skipped to read positions, and which phases are not sent."""
    notes = [printable(note) for case in cases for note in case.remark.splitlines()]
    later = [phase.phase for case in cases for phase in case.phases[1:]]
    unsent = f"not sent, since they follow from the answer: {', '.join(later)} orders"
    return [*notes, *([unsent] if later else [])]


def _line(number: int, exchange: Exchange, resent: Resent) -> str:
    failed = f"{resent.failed}; " if resent.failed else ""
    return printable(f"{number} {exchange.request.method}: {failed}{_SAYS[resent.compared]} ({resent.seconds:.3f} s)")
