"""`datc-check shadow`: one engine answers over HTTP, and another one then gets the same requests."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from ....adapters import Engine
from ....adapters.server import relay
from ....adapters.web import Application
from ....reports import Handler, RunFinished
from ....reports.findings import wrapped
from ...config.preparing import open_config_engine
from ...search.findings import Finding
from ...search.observed import FindingStore, explain, read_findings
from ...search.report import shadow_report
from ...search.shadowing import Counts, Difference, Shadow
from ...search.workers import in_processes
from ..command import Command, echo, writing
from ..options import ca_file_option, config_option, timeout_option
from ..reporting import confirm, open_outputs, report_option, report_targets
from .serve import allowed, listen, serve_until_signal, server_options

_NICE = 10
"""How much less processor time explaining gets than answering, as `nice` has it."""


@click.command("shadow", cls=Command)
@click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="ENGINE",
    help="Give it twice: the engine in use, then the new one.",
)
@click.option(
    "--store", "file", type=click.Path(path_type=Path), metavar="FILE", help="Where findings go. [shadow.jsonl]"
)
@click.option("--words", is_flag=True, help="Also report equal boards with other outcomes of orders.")
@server_options(8422)
@timeout_option
@ca_file_option
@config_option
@report_option
@click.pass_context
def command(
    ctx: click.Context,
    engines: Sequence[str],
    file: Path | None,
    host: str,
    port: int,
    threads: int,
    hosts: Sequence[str],
    origins: Sequence[str],
    timeout: float | None,
    ca_file: Path | None,
    config_file: Path | None,
    reports: Sequence[str],
    *,
    words: bool,
) -> None:
    r"""Pass requests to an engine that people use, and then test its successor with them.

    Requests of the protocol, one a POST, go to the first ENGINE, and its answers pass through unchanged. The second
    one gets the same requests later. If its answer differs or is missing, FILE gets a line of JSON with what explains
    it, and the .toml beside FILE a case. A slow or broken second engine does not slow the first one down. GET /health
    has the counts. Ctrl-C or SIGTERM ends it; requests that still wait are asked for at most 5 seconds. A report then
    has what this run found, by its causes. It needs `pip install "datc-check[serve]"`.

    \b
    datc-check shadow --engine mine --engine my-next --store found.jsonl
    datc-check shadow --engine mine --engine my-next --report html:shadow.html
    datc-check hunt my-next --source real:found.jsonl
    """
    if len(engines) != 2:
        raise click.UsageError("--engine is needed twice: the one that answers, and the one that is compared", ctx)
    handlers = open_outputs(reports, quiet=True)
    store_path = file or Path("shadow.jsonl")
    first, second = (_open(text, config_file, timeout, ca_file) for text in engines)
    with in_processes(1) as workers, listen(host, port) as listening:
        access = allowed(host, listening, hosts, origins)
        store = FindingStore(store_path, lambda found: workers.executor.submit(_explain, found).result())
        shadow = Shadow(first, second, store.take, words=words, tell=_tell)
        with shadow:
            _ = shadow.start()
            documents = {"/health": lambda: _health(shadow)}
            application = Application({"/": lambda body: relay(body, shadow)}, documents, access)
            code = serve_until_signal(listening, threads, application)
    with writing("a report"):
        _write_reports(handlers, shadow, store_path, store.start, engines[1])
    on_stdout = any(target.path == "-" for target in report_targets(reports))
    click.echo("\n".join(wrapped(_sentence(shadow.counts), hanging=2)), err=on_stdout)
    confirm(target.path for target in report_targets(reports))
    ctx.exit(code)


def _write_reports(handlers: Sequence[Handler], shadow: Shadow, store: Path, start: int, spec: str) -> None:
    """Write the reports that were asked for, of the findings from byte `start` of the store on. Raises `OSError`."""
    if not handlers:
        return

    report = shadow_report(read_findings(store, start), shadow.counts, shadow.names, spec)
    for handler in handlers:
        handler.handle(RunFinished(report))


def _open(text: str, config_file: Path | None, timeout: float | None, ca_file: Path | None) -> Engine:

    return open_config_engine(text, config_file, timeout, None, {}, ca_file=ca_file).open_for_serving()


def _explain(difference: Difference) -> Sequence[Finding]:
    """Explain a difference in a process of its own, which takes no time from answering: it is much to compute."""
    if hasattr(os, "setpriority"):
        os.setpriority(os.PRIO_PROCESS, 0, _NICE)
    return explain(difference)


def _tell(trouble: str) -> None:
    echo(f"Not compared: {trouble}", err=True)


def _health(shadow: Shadow) -> dict[str, object]:

    first, second = shadow.names
    return {"status": "ok", "engine": first, "shadow": {"engine": second, **msgspec.structs.asdict(shadow.counts)}}


def _sentence(counts: Counts) -> str:
    parts = [f"{counts.different} different", f"{counts.failed} without an answer"]
    parts += [f"{counts.unsupported} unsupported"] if counts.unsupported else []
    parts += [f"{counts.dropped} not asked"] if counts.dropped else []
    parts += [f"{counts.errors} errors"] if counts.errors else []
    return f"{counts.asked} compared: {', '.join(parts)}"
