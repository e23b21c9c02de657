"""What explains a disagreement, and which of them are alike."""

from datc.harness.bugs.mutants import MUTANTS
from datc.harness.bugs.terrain import with_names
from datc.harness.play.answer import Failure
from datc.harness.play.differential import agree
from datc.harness.play.session import PlayedPhase, ReferenceAdjudicator
from datc.harness.search.disagreement import Disagreement, explain_difference
from datc.harness.search.patterns import pattern, shape, shows_in
from datc.reference_engine import DATC_3_1

from .adjudicators import REFERENCE, Altered, lost_border, position_of, says, turks_stay

WALKS = position_of("England: A Lon - Yor VIA")
SUPPORTED = position_of("England: A Ber - Mun", "England: A Kie S A Ber - Mun", "France: A Mun H")


def disagreement(ordered, said, possible=None):
    return Disagreement(ordered, said, says(REFERENCE, ordered), DATC_3_1, possible=possible)


def under(choices, ordered):
    return says(ReferenceAdjudicator(DATC_3_1.with_choices(choices)), ordered)


def test_a_choice_that_gives_the_answer_explains_it():
    cause = explain_difference(disagreement(WALKS, under({"4.A.3": "alexander"}, WALKS)))
    assert cause.kind == "deviation"
    assert {"4.A.3": "alexander"} in cause.changes
    assert {issue for changes in cause.changes for issue in changes} == {"4.A.3"}


def test_a_choice_that_the_engine_cannot_make_explains_nothing():
    possible = frozenset({("4.A.3", "alexander"), ("4.A.3", "2000-no-fallback")})
    cause = explain_difference(disagreement(WALKS, under({"4.A.3": "alexander"}, WALKS), possible))
    assert cause.changes == [{"4.A.3": "alexander"}]
    cause = explain_difference(disagreement(WALKS, under({"4.A.3": "alexander"}, WALKS), frozenset()))
    assert cause.kind == "bug"


def test_two_choices_at_once_explain_what_neither_does():
    ordered = position_of("England: A Lon - Yor VIA", "France: F Gas - Spa/sc")
    both = {"4.A.3": "alexander", "4.B.3": "ignore-coast"}
    cause = explain_difference(disagreement(ordered, under(both, ordered), frozenset(both.items())))
    assert cause.kind == "deviation"
    assert cause.changes == [both]


def test_a_bug_is_explained_by_a_known_mutant_where_there_is_one():
    ordered = position_of("Austria: A Gal - Sil", "Germany: A Mun S A Gal - Sil", "Russia: A Sil H")
    for name, mutant in MUTANTS.items():
        said = says(ReferenceAdjudicator(DATC_3_1, mutant.procedure), ordered)
        if not agree(says(REFERENCE, ordered), said):
            cause = explain_difference(disagreement(ordered, said, frozenset()))
            assert cause.kind == "bug"
            assert name in cause.mutants


def test_a_bug_that_nothing_explains_is_told_by_its_pattern():
    ordered = position_of("Turkey: A Con - Bul", "Turkey: A Smy S A Con - Bul", "Russia: A Rum H")
    cause = explain_difference(disagreement(ordered, says(Altered(turks_stay), ordered), frozenset()))
    assert cause.unexplained
    assert cause.label == "1: A a H; 2: A b S A c - d; 2: A c - d [goes, stays]"


def test_failures_are_alike_whatever_places_they_name():
    def failed(reason):
        return (PlayedPhase(WALKS.phases()[0], Failure(reason)),)

    one = explain_difference(
        disagreement(WALKS, failed("answered error -32603: 'SeveralOrders F Nrg, A Mun at line 3'"))
    )
    other = explain_difference(
        disagreement(WALKS, failed("answered error -32603: 'SeveralOrders A Norway at line 17'"))
    )
    assert one == other
    assert (one.kind, one.label) == ("failure", "answered error SeveralOrders line")


def test_a_pattern_is_the_same_in_other_places_and_for_other_powers():
    ordered = position_of("Austria: A Gal - Sil", "Germany: A Mun S A Gal - Sil", "Russia: A Sil H")
    said, expected = says(Altered(lost_border), ordered), says(REFERENCE, ordered)
    text = pattern(ordered, expected, said)
    for powers in ({"AUSTRIA": "TURKEY"}, {"AUSTRIA": "RUSSIA", "RUSSIA": "AUSTRIA"}):
        other = with_names(ordered, powers)
        assert pattern(other, says(REFERENCE, other), says(Altered(lost_border), other)) == text
    shuffled = ordered._replace(orders=ordered.orders[::-1]).with_units(ordered.units[::-1])
    assert pattern(shuffled, expected, said) == text


def test_a_disagreement_shows_in_a_larger_one_with_the_same_units():
    small = position_of("Austria: A Gal - Sil", "Germany: A Mun S A Gal - Sil", "Russia: A Sil H")
    large = position_of(
        "England: A Gal - Sil",
        "France: A Mun S A Gal - Sil",
        "Italy: A Sil H",
        "Italy: A Pru S A Sil",
        "Turkey: A Con - Bul",
        "France: A War S A Gal - Sil",
    )

    def shape_of(ordered):
        return shape(ordered, says(REFERENCE, ordered), says(Altered(lost_border), ordered))

    assert shows_in(shape_of(small), shape_of(large))
    assert not shows_in(shape_of(large), shape_of(small))
    assert not shows_in(shape_of(small), shape_of(SUPPORTED))
