package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/zond/godip"
	"github.com/zond/godip/orders"
	"github.com/zond/godip/state"
	"github.com/zond/godip/variants/classical"
)

var (
	phases  = map[string]godip.PhaseType{"movement": godip.Movement, "retreat": godip.Retreat, "adjustment": godip.Adjustment}
	seasons = map[string]godip.Season{"spring": godip.Spring, "autumn": godip.Fall, "winter": godip.Fall}
	types   = map[string]godip.UnitType{"A": godip.Army, "F": godip.Fleet}
	// The sea provinces that have another abbreviation in godip.
	abbreviations = map[string]string{"NAO": "nat", "NWG": "nrg", "MAO": "mid", "LYO": "gol"}
	codes         = map[string]string{"nat": "NAO", "nrg": "NWG", "mid": "MAO", "gol": "LYO"}
)

// reasons has the reason for each error that is one value. reason knows the others, which are types.
var reasons = map[error]string{
	godip.ErrMissingConvoyPath:     "no-path",
	godip.ErrConvoyParadox:         "disrupted",
	godip.ErrInvalidSupporteeOrder: "void",
}

// memory is what godip wants back for the retreats: who dislodged whom, and where units bounced.
type memory struct {
	Dislodgers map[godip.Province]godip.Province
	Bounces    map[godip.Province]map[godip.Province]bool
}

func province(location string) godip.Province {
	code, coast, _ := strings.Cut(location, "/")
	if abbreviation, found := abbreviations[code]; found {
		code = abbreviation
	}
	return godip.Province(strings.ToLower(code)).Join(godip.Province(strings.ToLower(coast)))
}

func location(province godip.Province) string {
	if code, found := codes[string(province)]; found {
		return code
	}
	return strings.ToUpper(string(province))
}

func nation(power string) godip.Nation {
	return godip.Nation(power[:1] + strings.ToLower(power[1:]))
}

func unit(at godip.Province, unit godip.Unit) Unit {
	return Unit{strings.ToUpper(string(unit.Nation)), string(unit.Type[:1]), location(at)}
}

// translate makes the order of godip. Its orders have no place for the type or the nation of a unit.
func translate(order Order) godip.Adjudicator {
	at, to := province(order.Unit.Location), province(order.To)
	switch order.Type {
	case "hold":
		return orders.Hold(at)
	case "move", "retreat":
		if order.ViaConvoy {
			return orders.Move(at, to).ViaConvoy()
		}
		return orders.Move(at, to)
	case "support":
		if order.To == "" {
			return orders.SupportHold(at, province(order.Supported.Location))
		}
		return orders.SupportMove(at, province(order.Supported.Location), to)
	case "convoy":
		return orders.Convoy(at, province(order.Convoyed.Location), to)
	case "build":
		if order.Unit.Type == "" {
			return nil // godip would build a unit that is neither an army nor a fleet.
		}
		return orders.Build(at, types[order.Unit.Type], time.Now())
	case "disband", "remove":
		return orders.Disband(at, time.Now())
	}
	return nil // A waived build: godip has no order for it.
}

// submission is an order as godip took it, or the reason why it did not.
type submission struct {
	at      godip.Province
	refused string
}

// submit gives an order to godip, which says whose unit it is for. An order to the unit of another power is not given.
func submit(game *state.State, power string, order godip.Adjudicator) submission {
	owner, err := order.Validate(game)
	if err != nil || owner != nation(power) {
		return submission{refused: "illegal"}
	}
	at := order.Targets()[0]
	if game.SetOrder(at, order) != nil {
		return submission{refused: "ignored"}
	}
	return submission{at: at}
}

// board returns a game that stands before the phase.
func board(params Params) (*state.State, error) {
	game := classical.Blank(classical.NewPhase(params.Year, seasons[params.Season], phases[params.Phase]))
	remembered := memory{map[godip.Province]godip.Province{}, map[godip.Province]map[godip.Province]bool{}}
	if len(params.State) > 0 {
		if err := json.Unmarshal(params.State, &remembered); err != nil {
			return nil, &RPCError{invalidParams, err.Error()}
		}
	}
	units, dislodged := map[godip.Province]godip.Unit{}, map[godip.Province]godip.Unit{}
	for _, each := range params.Units {
		units[province(each.Location)] = godip.Unit{Type: types[each.Type], Nation: nation(each.Power)}
	}
	for _, each := range params.Dislodged {
		if len(each.Retreats) > 0 { // godip has taken any other off the board.
			dislodged[province(each.Location)] = godip.Unit{Type: types[each.Type], Nation: nation(each.Power)}
		}
	}
	centers := map[godip.Province]godip.Nation{}
	for power, owned := range params.Centers {
		for _, center := range owned {
			centers[province(center)] = nation(power)
		}
	}
	none := map[godip.Province]godip.Adjudicator{}
	return game.Load(units, centers, dislodged, remembered.Dislodgers, remembered.Bounces, none), nil
}

// sortedUnits lists units by location: godip has them in maps, which are in another order each time.
func sortedUnits(units map[godip.Province]godip.Unit) []Unit {
	found := []Unit{}
	for at, each := range units {
		found = append(found, unit(at, each))
	}
	sort.Slice(found, func(one, other int) bool { return found[one].Location < found[other].Location })
	return found
}

// retreats lists where a dislodged unit may go: what godip offers as orders of the retreat phase.
func retreats(game *state.State, at godip.Province, owner godip.Nation) []string {
	found := []string{}
	moves := game.Phase().Options(game, owner)[at.Super()][godip.Move]
	for to := range moves[godip.SrcProvince(at)] {
		found = append(found, location(to.(godip.Province)))
	}
	sort.Strings(found)
	return found
}

// attacker returns the province of the move to a place that succeeded.
func attacker(game *state.State, at godip.Province) string {
	for from, order := range game.PreviouslyAppliedOrders() {
		if order.Type() == godip.Move && order.Targets()[1].Super() == at.Super() && game.Resolutions()[from] == nil {
			return location(from.Super())
		}
	}
	return ""
}

// dislodgedUnits lists the units that were dislodged, also those that godip took off the board for want of a retreat.
func dislodgedUnits(game *state.State, before []Unit) []Dislodged {
	found := []Dislodged{}
	for _, each := range before {
		at, owner := province(each.Location), nation(each.Power)
		if _, lives := game.Dislodgeds()[at]; lives {
			found = append(found, Dislodged{each, attacker(game, at), retreats(game, at, owner)})
		} else if game.ForceDisbands()[at] {
			found = append(found, Dislodged{each, attacker(game, at), []string{}})
		}
	}
	return found
}

// reason translates the error of an order that failed. Nothing if the protocol has no word for it.
func reason(err error) string {
	var bounce godip.ErrBounce
	var cut godip.ErrSupportBroken
	var disrupted godip.ErrConvoyDislodged
	switch {
	case errors.As(err, &bounce):
		return "bounced"
	case errors.As(err, &cut):
		return "cut"
	case errors.As(err, &disrupted):
		return "disrupted"
	}
	return reasons[err]
}

// result says how an order of a movement phase ended. A hold always succeeds for godip: that of a dislodged unit did not.
func result(game *state.State, submitted submission) *Result {
	if submitted.refused != "" {
		return &Result{"fails", submitted.refused}
	}
	if err := game.Resolutions()[submitted.at]; err != nil {
		return &Result{"fails", reason(err)}
	}
	order := game.PreviouslyAppliedOrders()[submitted.at]
	_, dislodged := game.Dislodgeds()[submitted.at]
	if order.Type() == godip.Hold && (dislodged || game.ForceDisbands()[submitted.at]) {
		return &Result{"fails", "dislodged"}
	}
	return &Result{Outcome: "succeeds"}
}

func adjudicate(params Params) (*Answer, error) {
	if params.Map != "standard" {
		return nil, &RPCError{unsupported, fmt.Sprintf("no map %q", params.Map)}
	}
	if _, known := phases[params.Phase]; !known {
		return nil, &RPCError{unsupported, fmt.Sprintf("no phase %q", params.Phase)}
	}
	game, err := board(params)
	if err != nil {
		return nil, err
	}
	submitted := make([]*submission, len(params.Orders))
	for place, given := range params.Orders {
		if given.Order == nil {
			continue
		}
		if order := translate(*given.Order); order != nil {
			each := submit(game, given.Power, order)
			submitted[place] = &each
		}
	}
	if err := game.Next(); err != nil {
		return nil, err
	}
	answer := &Answer{Units: sortedUnits(game.Units())}
	if params.Phase != "movement" {
		return answer, nil
	}
	for _, each := range submitted {
		if each == nil {
			answer.Orders = append(answer.Orders, nil)
		} else {
			answer.Orders = append(answer.Orders, result(game, *each))
		}
	}
	answer.Dislodged = dislodgedUnits(game, params.Units)
	_, _, _, dislodgers, bounces, _ := game.Dump()
	answer.State = memory{dislodgers, bounces}
	return answer, nil
}
