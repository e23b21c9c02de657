package main

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/zond/godip"
	"github.com/zond/godip/state"
	"github.com/zond/godip/variants"
	"github.com/zond/godip/variants/classical"
	"github.com/zond/godip/variants/common"
)

var notInCodes = regexp.MustCompile(`[^A-Z0-9]+`)

// naming is how provinces are called: as godip calls them, but for those of the standard map.
type naming func(godip.Province) string

func inCapitals(province godip.Province) string { return strings.ToUpper(string(province)) }

// Power is a power in a map, with lists of codes as texts.
type Power struct {
	Name  string   `json:"name"`
	Home  string   `json:"home"`
	Owns  string   `json:"owns"`
	Start []string `json:"start"`
}

// Space is a province in a map. A sea has no armies; fleets is a text, or one for each coast.
type Space struct {
	Name   string  `json:"name"`
	Armies *string `json:"armies,omitempty"`
	Fleets any     `json:"fleets,omitempty"`
}

// giveMap returns the map of a variant, by its name in godip, as a map file has it: "standard" is the classical one.
func giveMap(asked string) (any, error) {
	variant, found := variants.Variants[asked]
	name := naming(inCapitals)
	if asked == "standard" {
		variant, found, name = classical.ClassicalVariant, true, location
	}
	if !found {
		return nil, &RPCError{unsupported, fmt.Sprintf("godip has no variant %q", asked)}
	}
	start, err := variant.Start()
	if err != nil {
		return nil, err
	}
	graph := variant.Graph()
	spaces, convoying := map[string]Space{}, []string{}
	for _, at := range graph.Provinces() {
		if at != at.Super() {
			continue
		}
		long := variant.ProvinceLongNames[at]
		if long == "" {
			long = name(at)
		}
		space := Space{Name: long, Fleets: name.fleets(graph, at)}
		if flags := graph.Flags(at); flags[godip.Land] {
			reached := name.neighbours(graph, at, godip.Land)
			space.Armies = &reached
			if flags[godip.Convoyable] {
				convoying = append(convoying, name(at))
			}
		}
		spaces[name(at)] = space
	}
	neutral, builds := graph.SCs(godip.Neutral), "home-centers"
	for _, order := range variant.Parser.Orders() {
		if order.Flags()[godip.Anywhere] {
			builds = "owned-centers"
		}
	}
	return map[string]any{
		"title": variant.Name, "source": "godip " + engineVersion(), "neutral_centers": name.list(neutral),
		"powers": name.powers(variant, graph, start), "provinces": spaces,
		"convoying": strings.Join(convoying, " "), "builds": builds,
	}, nil
}

// fleets returns the neighbours of a fleet, by coast where there are two, and nothing where no fleet can be.
func (name naming) fleets(graph godip.Graph, at godip.Province) any {
	if coasts := coastsOf(graph, at); len(coasts) > 0 {
		found := map[string]string{}
		for _, coast := range coasts {
			found[strings.ToUpper(string(coast.Sub()))] = name.neighbours(graph, coast, godip.Sea)
		}
		return found
	}
	if graph.Flags(at)[godip.Sea] {
		return name.neighbours(graph, at, godip.Sea)
	}
	return nil
}

func coastsOf(graph godip.Graph, at godip.Province) (found []godip.Province) {
	for _, coast := range graph.Coasts(at) {
		if coast != coast.Super() {
			found = append(found, coast)
		}
	}
	return found
}

// neighbours returns where an army (on land) or a fleet (at sea) can go. No fleet is in a province with coasts itself.
func (name naming) neighbours(graph godip.Graph, at godip.Province, by godip.Flag) string {
	found := []godip.Province{}
	for to, flags := range graph.Edges(at, false) {
		isCoast := to != to.Super()
		if !flags[by] || !graph.Flags(to)[by] || isCoast && by == godip.Land {
			continue
		}
		if !isCoast && by == godip.Sea && len(coastsOf(graph, to)) > 0 {
			continue
		}
		found = append(found, to)
	}
	return name.list(found)
}

func (name naming) powers(variant common.Variant, graph godip.Graph, start *state.State) map[string]*Power {
	found := map[string]*Power{}
	power := func(nation godip.Nation) *Power {
		code := strings.Trim(notInCodes.ReplaceAllString(strings.ToUpper(string(nation)), "-"), "-")
		if found[code] == nil {
			found[code] = &Power{Name: string(nation), Start: []string{}}
		}
		return found[code]
	}
	owned := map[godip.Nation][]godip.Province{}
	for center, nation := range start.SupplyCenters() {
		owned[nation] = append(owned[nation], center)
	}
	for _, nation := range variant.Nations {
		power(nation).Home, power(nation).Owns = name.list(graph.SCs(nation)), name.list(owned[nation])
	}
	for at, unit := range start.Units() {
		power := power(unit.Nation)
		power.Start = append(power.Start, string(unit.Type[:1])+" "+name(at))
	}
	return found
}

func (name naming) list(provinces []godip.Province) string {
	codes := []string{}
	for _, province := range provinces {
		codes = append(codes, name(province))
	}
	sort.Strings(codes)
	return strings.Join(codes, " ")
}
