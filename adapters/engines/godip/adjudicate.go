package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"time"

	"github.com/zond/godip"
	"github.com/zond/godip/orders"
	"github.com/zond/godip/state"
)

var (
	phases  = map[string]godip.PhaseType{"movement": godip.Movement, "retreat": godip.Retreat, "adjustment": godip.Adjustment}
	seasons = map[string]godip.Season{"spring": godip.Spring, "autumn": godip.Fall, "winter": godip.Fall}
	types   = map[string]godip.UnitType{"A": godip.Army, "F": godip.Fleet}
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

func (on *variantMap) unit(at godip.Province, unit godip.Unit) Unit {
	return Unit{on.powers[unit.Nation], string(unit.Type[:1]), on.location(at)}
}

// translate makes the order of godip. Its orders have no place for the type or the nation of a unit.
func (on *variantMap) translate(order Order) godip.Adjudicator {
	at, to := on.province(order.Unit.Location), on.province(order.To)
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
			return orders.SupportHold(at, on.province(order.Supported.Location))
		}
		return orders.SupportMove(at, on.province(order.Supported.Location), to)
	case "convoy":
		return orders.Convoy(at, on.province(order.Convoyed.Location), to)
	case "build":
		if order.Unit.Type == "" {
			return nil // godip would build a unit that is neither an army nor a fleet.
		}
		if on.buildsAnywhere {
			return orders.BuildAnywhere(at, types[order.Unit.Type], time.Now())
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
func submit(game *state.State, nation godip.Nation, order godip.Adjudicator) submission {
	owner, err := order.Validate(game)
	if err != nil || owner != nation {
		return submission{refused: "illegal"}
	}
	at := order.Targets()[0]
	if game.SetOrder(at, order) != nil {
		return submission{refused: "ignored"}
	}
	return submission{at: at}
}

// board returns a game that stands before the phase.
func (on *variantMap) board(params Params) (*state.State, error) {
	game := on.Blank(on.Phase(params.Year, seasons[params.Season], phases[params.Phase]))
	remembered := memory{map[godip.Province]godip.Province{}, map[godip.Province]map[godip.Province]bool{}}
	if len(params.State) > 0 {
		if err := json.Unmarshal(params.State, &remembered); err != nil {
			return nil, &RPCError{invalidParams, err.Error()}
		}
	}
	units, dislodged := map[godip.Province]godip.Unit{}, map[godip.Province]godip.Unit{}
	for _, each := range params.Units {
		units[on.province(each.Location)] = godip.Unit{Type: types[each.Type], Nation: on.nations[each.Power]}
	}
	for _, each := range params.Dislodged {
		if len(each.Retreats) > 0 { // godip has taken any other off the board.
			dislodged[on.province(each.Location)] = godip.Unit{Type: types[each.Type], Nation: on.nations[each.Power]}
		}
	}
	centers := map[godip.Province]godip.Nation{}
	for power, owned := range params.Centers {
		for _, center := range owned {
			centers[on.province(center)] = on.nations[power]
		}
	}
	none := map[godip.Province]godip.Adjudicator{}
	return game.Load(units, centers, dislodged, remembered.Dislodgers, remembered.Bounces, none), nil
}

// sortedUnits lists units by location: godip has them in maps, which are in another order each time.
func (on *variantMap) sortedUnits(units map[godip.Province]godip.Unit) []Unit {
	found := []Unit{}
	for at, each := range units {
		found = append(found, on.unit(at, each))
	}
	sort.Slice(found, func(one, other int) bool { return found[one].Location < found[other].Location })
	return found
}

// retreats lists where a dislodged unit may go: what godip offers as orders of the retreat phase.
func (on *variantMap) retreats(game *state.State, at godip.Province, owner godip.Nation) []string {
	found := []string{}
	moves := game.Phase().Options(game, owner)[at.Super()][godip.Move]
	for to := range moves[godip.SrcProvince(at)] {
		found = append(found, on.location(to.(godip.Province)))
	}
	sort.Strings(found)
	return found
}

// attacker returns the province of the move to a place that succeeded.
func (on *variantMap) attacker(game *state.State, at godip.Province) string {
	for from, order := range game.PreviouslyAppliedOrders() {
		if order.Type() == godip.Move && order.Targets()[1].Super() == at.Super() && game.Resolutions()[from] == nil {
			return on.location(from.Super())
		}
	}
	return ""
}

// dislodgedUnits lists the units that were dislodged, also those that godip took off the board for want of a retreat.
func (on *variantMap) dislodgedUnits(game *state.State, before []Unit) []Dislodged {
	found := []Dislodged{}
	for _, each := range before {
		at, owner := on.province(each.Location), on.nations[each.Power]
		if _, lives := game.Dislodgeds()[at]; lives {
			found = append(found, Dislodged{each, on.attacker(game, at), on.retreats(game, at, owner)})
		} else if game.ForceDisbands()[at] {
			found = append(found, Dislodged{each, on.attacker(game, at), []string{}})
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
	on, found := ours[params.Map]
	if same, known := sameRules[params.Map]; known {
		on, found = ours[same], true
	}
	if !found {
		return nil, &RPCError{unsupported, fmt.Sprintf("no map %q", params.Map)}
	}
	if _, known := phases[params.Phase]; !known {
		return nil, &RPCError{unsupported, fmt.Sprintf("no phase %q", params.Phase)}
	}
	game, err := on.board(params)
	if err != nil {
		return nil, err
	}
	submitted := make([]*submission, len(params.Orders))
	for place, given := range params.Orders {
		if given.Order == nil {
			continue
		}
		if order := on.translate(*given.Order); order != nil {
			each := submit(game, on.nations[given.Power], order)
			submitted[place] = &each
		}
	}
	if err := game.Next(); err != nil {
		return nil, err
	}
	answer := &Answer{Units: on.sortedUnits(game.Units())}
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
	answer.Dislodged = on.dislodgedUnits(game, params.Units)
	_, _, _, dislodgers, bounces, _ := game.Dump()
	answer.State = memory{dislodgers, bounces}
	return answer, nil
}
