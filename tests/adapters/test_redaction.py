"""What an answer repeats of the headers of its request is taken out of it; all else stays as it is."""

import base64
import html
import json
import re
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datc.adapters import EngineFailure
from datc.adapters.redaction import HIDDEN, Redaction

TOKEN = 's3cr3t+T0ken/with"=="&every%thing'  # noqa: S105 - a made-up one
LIKE_ESCAPES = r's3cr3t\t0ken%41every\u0041&amp;every%2541\\t0ken&#65;s3cr3t"'
"""A secret that is another text where its escapes are undone."""
BEARER = Redaction({"Authorization": f"Bearer {TOKEN}"})
BASIC = Redaction({"Authorization": "Basic " + base64.b64encode(b"jane:Open-Sesame").decode()})

SPELLINGS: dict[str, Callable[[str], str]] = {
    "itself": str,
    "upper case": str.upper,
    "lower case": str.lower,
    "with its scheme": lambda token: f"Bearer {token}",
    "URL": quote_plus,
    "URL without slashes": lambda token: quote(token, safe=""),
    "URL in lower case": lambda token: quote(token, safe="").lower(),
    "URL twice": lambda token: quote(quote(token)),
    "each byte of a URL": lambda token: "".join(f"%{byte:02x}" for byte in token.encode()),
    "JSON": json.dumps,
    "JSON twice": lambda token: json.dumps(json.dumps(token)),
    "each character in JSON": lambda token: "".join(f"\\u{ord(letter):04x}" for letter in token),
    "HTML": html.escape,
    "each character in HTML": lambda token: "".join(f"&#{ord(letter)};" for letter in token),
    "base64": lambda token: base64.b64encode(token.encode()).decode(),
    "base64 for URLs": lambda token: base64.urlsafe_b64encode(token.encode()).decode(),
    "base64 of the header": lambda token: base64.b64encode(f"Bearer {token}".encode()).decode(),
    "base64 of more": lambda token: base64.b64encode(f"the token {token} is that".encode()).decode(),
}


def traces(text: str) -> bool:
    """Whether a part of the token is left, as it is or in base64."""
    said = [text.encode()]
    for run in re.findall(r"[A-Za-z0-9+/_-]+", text):
        pieces = (run[start : start + (len(run) - start) // 4 * 4] for start in range(4))
        said += [base64.b64decode(piece, b"-_" if "-" in piece or "_" in piece else None) for piece in pieces]
    return any(part in one.lower() for part in (b"s3cr3t", b"t0ken", b"every") for one in said)


@pytest.mark.attack
@pytest.mark.parametrize("token", [TOKEN, LIKE_ESCAPES])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_secret_is_found_in_every_spelling(spelling, token):
    redaction = Redaction({"Authorization": f"Bearer {token}"})
    said = f"engine {SPELLINGS[spelling](token)} 2.0"
    assert not traces(redaction.in_text(said))
    message = {"jsonrpc": "2.0", "id": 1, "result": {"engine": {"name": said, said: [said]}}, said: said}
    hidden = json.loads(redaction.in_message(json.dumps(message).encode()))
    assert hidden["id"] == 1
    assert not traces(json.dumps(hidden))
    assert HIDDEN in hidden["result"]["engine"]["name"]


@pytest.mark.attack
@pytest.mark.parametrize("said", ["jane:Open-Sesame", "OPEN-SESAME", "amFuZTpPcGVuLVNlc2FtZQ==", "jane%3AOpen-Sesame"])
def test_of_basic_authentication_the_password_is_secret_too(said):
    assert "sesame" not in BASIC.in_text(f"for {said}").lower()
    assert "amFuZTpPcGVu" not in BASIC.in_text(f"for {said}")


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("session=abcdef; theme=dark", "abcdef"),
        ('Digest username="Mufasa", response="6629fae4"', "6629fae4"),
        ("key=abcd==", "abcd"),
        ("pässwort", "PÄSSWORT"),
        ("Basic pässwort", "pässwort"),
    ],
)
def test_parts_of_a_header_are_secret_without_their_names(header, said):
    assert Redaction({"X-Secret": header}).in_text(f"<{said}>") == f"<{HIDDEN}>"


@pytest.mark.parametrize(
    ("name", "value"),
    [("X-Short", ""), ("X-Short", "1"), ("X-Short", "abc"), ("X-Short", "Bearer 123"), ("User-Agent", "datc-check")],
)
def test_a_short_header_or_one_that_everybody_may_know_hides_nothing(name, value):
    text = "datc-check, version 1.2.3 abc 100%"
    assert Redaction({name: value}).in_text(text) == text


@pytest.mark.attack
@pytest.mark.parametrize("evil", [b"\\\\", b"%25", b"&amp;", b"&#38;"])
def test_what_would_take_long_to_look_through_is_refused(evil):
    body = b'{"jsonrpc":"2.0","id":1,"result":{"units":[],"state":1,"more":"' + evil * 3_000_000 + b'"}}'
    with pytest.raises(EngineFailure, match="^answered more than 524288 bytes beside the state$"):
        _ = BEARER.in_message(body)


@pytest.mark.parametrize("word", ["FRANCE", "BUL/EC", "succeeds", "location", "4.A.2", "szykman", "standard", "units"])
def test_a_word_of_the_protocol_is_no_secret(word):
    body = json.dumps({"id": 1, "result": {word: [word, f"so {word}"]}}).encode()
    assert json.loads(Redaction({"X-Word": word}).in_message(body))["result"] == {word: [word, f"so {HIDDEN}"]}


def test_the_state_goes_back_as_it_came():
    state = (
        b'{ "token" : "s3cr3t+T0ken/with\\"==\\"&every%thing", "big": 1e400, "long": 123456789012345678901234567890}'
    )
    body = b'{"id":1,"result":{"units":[],"state":' + state + b',"more":"s3cr3t+T0ken/with\\"==\\"&every%thing"}}'
    hidden = BEARER.in_message(body)
    assert state in hidden
    assert json.loads(hidden)["result"]["more"] == HIDDEN


@given(st.text() | st.text(alphabet='\\%&#u0047;x"'))
def test_what_shows_no_secret_stays_as_it_is(text):
    assert BEARER.in_text(text) == text
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {text: [text, 1, None, {"a": text}]}}).encode()
    assert json.loads(BEARER.in_message(body)) == json.loads(body)


@pytest.mark.parametrize(
    "body", [b"", b"[1]", b"\xff%", b"[" * 100_000 + b"%", b'{"result":["\\n"]}', b'{"a":"\\ud800"}']
)
def test_what_is_no_object_of_json_stays_as_it_is(body):
    assert BEARER.in_message(body) == body
