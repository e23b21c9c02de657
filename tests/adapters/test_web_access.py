from __future__ import annotations

from http import HTTPStatus

import pytest

from datc.adapters.web_access import Access, AccessError, ProblemError


def answers(access: Access, host: str) -> bool:
    try:
        _ = access.check({"HTTP_HOST": host})
    except ProblemError as problem:
        return problem.status != HTTPStatus.MISDIRECTED_REQUEST
    return True


@pytest.mark.attack
@pytest.mark.parametrize(
    ("listened", "right", "wrong"),
    [
        (
            ("127.0.0.1", "127.0.0.1"),
            ["127.0.0.1:8421", "localhost:8421", "LocalHost:8421", "[::1]:8421"],
            ["localhost", "localhost:8422", "127.0.0.2:8421", "localhost.evil:8421", "a,localhost:8421", "x@localhost"],
        ),
        (("::1", "::1"), ["[::1]:8421", "localhost:8421"], ["::1", "[::2]:8421", "[::1]:8421:8421"]),
        (("Box", "192.0.2.7"), ["box:8421", "192.0.2.7:8421"], ["localhost:8421", "127.0.0.1:8421", "other:8421"]),
        (("2001:db8::7", "2001:db8::7"), ["[2001:db8::7]:8421"], ["[::1]:8421", "[2001:db8::8]:8421"]),
        (("0.0.0.0", "0.0.0.0"), ["192.0.2.7:99", "[::1]", "localhost"], ["box:8421", "1.2.3.4.evil", "[]", "1.2.3"]),  # noqa: S104
        (("::", "::"), ["192.0.2.7:8421", "[2001:db8::7]:8421"], ["evil.example:8421"]),
    ],
)
def test_the_hosts_that_are_listened_on(listened: tuple[str, str], right: list[str], wrong: list[str]) -> None:
    access = Access(*listened, 8421)
    assert [host for host in right if not answers(access, host)] == []
    assert [host for host in wrong if answers(access, host)] == []


def test_more_hosts_can_be_allowed_with_any_port_or_one() -> None:
    access = Access("127.0.0.1", "127.0.0.1", 8421, hosts=["Box", "tunnel:9000", "[2001:db8::7]:80"])
    right = ["box", "box:1", "tunnel:9000", "[2001:db8::7]"]
    assert [host for host in right if not answers(access, host)] == []
    assert not answers(access, "tunnel:9001")


def test_no_host_is_not_the_right_one() -> None:
    with pytest.raises(ProblemError, match="which host") as raised:
        _ = Access("127.0.0.1", "127.0.0.1", 8421).check({})
    assert raised.value.status == HTTPStatus.BAD_REQUEST


@pytest.mark.parametrize("host", ["", "http://box", "box:x", "two words", "a,b"])
def test_what_is_no_host_cannot_be_allowed(host: str) -> None:
    with pytest.raises(AccessError, match="NAME:PORT"):
        _ = Access("127.0.0.1", "127.0.0.1", 8421, hosts=[host])


@pytest.mark.parametrize("origin", ["", "*", "null", "example.org", "https://example.org/", "https://a,https://b"])
def test_what_is_no_origin_cannot_be_allowed(origin: str) -> None:
    with pytest.raises(AccessError, match="SCHEME://HOST"):
        _ = Access("127.0.0.1", "127.0.0.1", 8421, origins=[origin])
