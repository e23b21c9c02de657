"""Engines over HTTPS whose certificates are wrong, or from an authority that the system does not know."""

import datetime as dt
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest
import trustme
from click.testing import CliRunner, Result
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from datc.adapters import EngineStartError, Limits
from datc.adapters.http import HttpEngine
from datc.harness.cli.group import cli

from .conftest import Opened
from .fake_sites import Site

pytestmark = pytest.mark.attack

HOST = "127.0.0.1"
NOW = dt.datetime.now(dt.timezone.utc)
Certify: TypeAlias = Callable[[trustme.CA, ssl.SSLContext, Path], bytes]
"""Gives a site its certificate, and returns what a CA file has to have."""


def _issues(*names: str, not_after: dt.datetime | None = None) -> Certify:
    def certify(authority: trustme.CA, context: ssl.SSLContext, _folder: Path) -> bytes:
        early = NOW - dt.timedelta(days=30)
        authority.issue_cert(*names, not_before=early, not_after=not_after).configure_cert(context)
        return authority.cert_pem.bytes()

    return certify


def _signs_itself(_authority: trustme.CA, context: ssl.SSLContext, folder: Path) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "datc")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(NOW - dt.timedelta(days=1))
        .not_valid_after(NOW + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    of_key = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    certificate = made.public_bytes(pem)
    _ = (folder / "site.pem").write_bytes(of_key + certificate)
    context.load_cert_chain(folder / "site.pem")
    return certificate


GOOD = _issues("localhost", HOST)


@dataclass
class Tls:
    """Makes a site over TLS, a file with its authority, and runs cases on it."""

    folder: Path
    opened: Opened

    @property
    def ca_file(self) -> Path:
        return self.folder / "authority.pem"

    def site(self, certify: Certify) -> Site:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        _ = self.ca_file.write_bytes(certify(trustme.CA(), context, self.folder))
        return self.opened.site(tls=context)

    def run(self, engine: str, *options: str) -> tuple[Result, str]:
        """Run a case; also return what was printed, in one line."""
        done = CliRunner().invoke(cli, ["run", engine, "--select", "6.A.1", *options], prog_name="datc-check")
        return done, " ".join(done.output.split())


@pytest.fixture
def tls(tmp_path: Path, opened: Opened) -> Tls:
    return Tls(tmp_path, opened)


def test_an_authority_is_trusted_where_its_file_is_named(tls, monkeypatch):
    for certify in (GOOD, _signs_itself):
        site = tls.site(certify)
        for options in ([], ["--ca-file", str(tls.ca_file)]):
            done, said = tls.run(site.url, *options)
            assert done.exit_code == (0 if options else 3), said
            assert bool(site.asked) == bool(options)
            assert options or "--ca-file names who may vouch for it" in said
    config = (
        f'[engine.site]\nurl = "{site.url}"\nca_file = "authority.pem"\n'  # Of the file's own folder, not of this one.
    )
    _ = (tls.folder / "datc.toml").write_text(config, "utf-8")
    assert tls.run("site", "--config", str(tls.folder / "datc.toml"))[0].exit_code == 0
    monkeypatch.chdir(tls.folder)
    for words in (
        ["infer", site.url, "--suite", "datc-2.4", "--no-experiments"],
        ["compare", site.url, "builtin", "--select", "6.A.1"],
        ["hunt", site.url, "--positions", "1", "--processes", "2"],
    ):
        done = CliRunner().invoke(cli, [*words, "--ca-file", "authority.pem"], prog_name="datc-check")
        assert done.exit_code in (0, 1), done.output


@pytest.mark.promise("Certificates are verified")
@pytest.mark.parametrize(
    ("certify", "reason"),
    [
        (_issues("localhost", not_after=NOW - dt.timedelta(days=1)), "certificate has expired"),
        (_issues(HOST), "Hostname mismatch, certificate is not valid for 'localhost'"),
    ],
)
def test_a_wrong_certificate_is_refused_although_its_authority_is_trusted(tls, certify, reason):
    site = tls.site(certify)
    done, said = tls.run(site.url, "--ca-file", str(tls.ca_file))
    assert done.exit_code == 3
    assert f"TLS fails: {reason}" in said
    assert "--ca-file" not in said
    assert not site.asked


def test_another_authority_is_not_enough_even_where_the_system_trusts_the_right_one(tls, monkeypatch):
    url = tls.site(GOOD).url
    monkeypatch.setenv("SSL_CERT_FILE", str(tls.ca_file))
    assert tls.run(url)[0].exit_code == 0
    other = tls.folder / "other.pem"
    _ = other.write_bytes(trustme.CA().cert_pem.bytes())
    done, said = tls.run(url, "--ca-file", str(other))
    assert done.exit_code == 3
    assert "TLS fails: " in said


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "has no certificate in PEM format"),
        (b"\x00\xff" * 1000, "has no certificate in PEM format"),
    ],
)
def test_a_file_without_an_authority_is_an_error_of_the_command(tls, content, reason):
    if content is not None:
        _ = tls.ca_file.write_bytes(content)
    done, said = tls.run("https://localhost:9/", "--ca-file", str(tls.ca_file))
    assert done.exit_code == 2
    assert reason in said
    assert "authority.pem" in said.replace(" ", "")


def damaging(site: Site, server: socket.socket, at: int) -> None:
    """Pass one connection on to a site, and the site's answers back with one byte changed."""
    client, _ = server.accept()
    with client, socket.create_connection(("127.0.0.1", site.port)) as there, suppress(OSError):

        def send() -> None:
            with suppress(OSError):
                while data := client.recv(1 << 16):
                    there.sendall(data)
                there.shutdown(socket.SHUT_RDWR)

        thread, count = threading.Thread(target=send), 0
        thread.start()
        while data := there.recv(1 << 16):
            damaged = bytearray(data)
            if count <= at < count + len(data):
                damaged[at - count] ^= 0x55
            count += len(data)
            client.sendall(damaged)
        thread.join()


@pytest.mark.promise("Whatever an engine answers is an answer or a failure")
def test_a_damaged_record_of_tls_is_a_failure_of_the_engine(tls, pool):
    """Bytes of all that a server sends are changed in turn: those of the handshake, and of the first answer."""
    site = tls.site(GOOD)
    for at in range(0, 1500, 11):
        with socket.create_server(("127.0.0.1", 0)) as server:
            passed = pool.submit(damaging, site, server, at)
            url, limits = f"https://localhost:{server.getsockname()[1]}/", Limits(start=0.3, connect=0.3)
            with closing(HttpEngine(url, limits, ca_file=str(tls.ca_file))) as engine, suppress(EngineStartError):
                _ = engine.start()
            passed.result(60)
