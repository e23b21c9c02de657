"""Texts that reports share."""

from datc.reports.text import id_ranges


def test_ids_that_follow_each_other_are_a_range():
    ids = ["6.A.1", "6.A.2", "6.A.3", "6.B.3", "6.B.4", "6.B.9", "6.B.10", "6.B.11", "VIII.1.a", "datc-3.1/6.B.12"]
    assert id_ranges(ids) == "6.A.1 to 6.A.3, 6.B.3, 6.B.4, 6.B.9 to 6.B.11, VIII.1.a, datc-3.1/6.B.12"
