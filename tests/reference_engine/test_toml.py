"""What TOML is refused before it is read, since reading it would take too long."""

import pytest

from datc.reference_engine.toml import TOMLDecodeError, loads


@pytest.mark.parametrize("part", ["a", '"a b"', "'. '", r'"\""', "a ", '"="'])
@pytest.mark.parametrize("before", ["", "[table]\n", "x = {", "x = 1\n"])
def test_a_key_of_very_many_parts_is_refused(part, before):
    with pytest.raises(TOMLDecodeError, match="a dotted key of more than 100 parts"):
        _ = loads(before + ".".join([part] * 30_000) + " = 1")


def test_text_with_many_dots_is_no_key():
    text = "\n".join(f'{".".join(["key"] * 50)}.n{number} = "{"a." * 200}"' for number in range(100))
    assert len(loads(text)["key"]) == 1
