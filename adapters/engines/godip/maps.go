package main

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/zond/godip"
	"github.com/zond/godip/state"
	"github.com/zond/godip/variants"
	"github.com/zond/godip/variants/ancientmediterranean"
	"github.com/zond/godip/variants/chaos"
	"github.com/zond/godip/variants/classical"
	"github.com/zond/godip/variants/common"
	"github.com/zond/godip/variants/hundred"
	"github.com/zond/godip/variants/pure"
)

var notInCodes = regexp.MustCompile(`[^A-Z0-9]+`)

// variantMap is a variant of godip with the names that the protocol has for its provinces and nations.
type variantMap struct {
	common.Variant
	graph godip.Graph
	// codes has a code for each abbreviation that is not the same in small letters, abbreviations the reverse.
	codes, abbreviations map[string]string
	powers               map[godip.Nation]string
	nations              map[string]godip.Nation
	buildsAnywhere       bool
}

// ours are the maps of datc-check that godip has.
var ours = map[string]*variantMap{
	"standard": withNames(classical.ClassicalVariant, standard, nil),
	"chaos":    withNames(chaos.ChaosVariant, standard, afterCenter),
	"pure":     withNames(pure.PureVariant, "", nil),
	"ancient-mediterranean": withNames(
		ancientmediterranean.AncientMediterraneanVariant, "SIN sii THB the TYN tys", nil,
	),
	"hundred": withNames(
		hundred.HundredVariant, "BCH brs DOV str ECH eng NMD nom NTH nos NUM not PAL thp WAS thw", nil,
	),
}

// sameRules are the maps that differ from one of these only in how the game begins.
var sameRules = map[string]string{"1898": "standard"}

// mapNames lists the maps that godip plays.
func mapNames() []string {
	names := []string{}
	for name := range ours {
		names = append(names, name)
	}
	for name := range sameRules {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

const standard = "NAO nat NWG nrg MAO mid LYO gol"

// withNames names the provinces of a variant, given each code with the abbreviation where that is another one.
// It names the powers by naming, or else as godip does.
func withNames(variant common.Variant, named string, naming func(*variantMap, godip.Nation) string) *variantMap {
	on := &variantMap{
		Variant: variant, graph: variant.Graph(), codes: map[string]string{}, abbreviations: map[string]string{},
		powers: map[godip.Nation]string{}, nations: map[string]godip.Nation{},
	}
	words := strings.Fields(named)
	for place := 0; place < len(words); place += 2 {
		on.abbreviations[words[place]], on.codes[words[place+1]] = words[place+1], words[place]
	}
	for _, nation := range variant.Nations {
		power := strings.Trim(notInCodes.ReplaceAllString(strings.ToUpper(string(nation)), "-"), "-")
		if naming != nil {
			power = naming(on, nation)
		}
		on.powers[nation], on.nations[power] = power, nation
	}
	for _, order := range variant.Parser.Orders() {
		on.buildsAnywhere = on.buildsAnywhere || order.Flags()[godip.Anywhere]
	}
	return on
}

// afterCenter names a power after its only home center: C-ANK.
func afterCenter(on *variantMap, nation godip.Nation) string {
	return "C-" + on.list(on.graph.SCs(nation))
}

func (on *variantMap) province(location string) godip.Province {
	code, coast, _ := strings.Cut(location, "/")
	if abbreviation, found := on.abbreviations[code]; found {
		code = abbreviation
	}
	return godip.Province(strings.ToLower(code)).Join(godip.Province(strings.ToLower(coast)))
}

func (on *variantMap) location(province godip.Province) string {
	abbreviation, coast := province.Split()
	code, found := on.codes[string(abbreviation)]
	if !found {
		code = string(abbreviation)
	}
	return strings.ToUpper(string(godip.Province(code).Join(coast)))
}

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

// giveMap returns a map as a map file has it: one of ours, or a variant by its name in godip.
func giveMap(asked string) (any, error) {
	on, found := ours[asked]
	if variant, known := variants.Variants[asked]; known {
		on, found = withNames(variant, "", nil), true
	}
	if !found {
		return nil, &RPCError{unsupported, fmt.Sprintf("godip has no variant %q", asked)}
	}
	start, err := on.Start()
	if err != nil {
		return nil, err
	}
	spaces, convoying := map[string]Space{}, []string{}
	for _, at := range on.graph.Provinces() {
		if at != at.Super() {
			continue
		}
		name := on.location(at)
		long := on.ProvinceLongNames[at]
		if long == "" {
			long = name
		}
		space := Space{Name: long, Fleets: on.fleets(at)}
		if flags := on.graph.Flags(at); flags[godip.Land] {
			reached := on.neighbours(at, godip.Land)
			space.Armies = &reached
			if flags[godip.Convoyable] {
				convoying = append(convoying, name)
			}
		}
		spaces[name] = space
	}
	builds := "home-centers"
	if on.buildsAnywhere {
		builds = "owned-centers"
	}
	return map[string]any{
		"title": on.Name, "source": "godip " + engineVersion(), "neutral_centers": on.list(on.graph.SCs(godip.Neutral)),
		"powers": on.powersAt(start), "provinces": spaces,
		"convoying": strings.Join(convoying, " "), "builds": builds,
	}, nil
}

// fleets returns the neighbours of a fleet, by coast where there are two, and nothing where no fleet can be.
func (on *variantMap) fleets(at godip.Province) any {
	if coasts := coastsOf(on.graph, at); len(coasts) > 0 {
		found := map[string]string{}
		for _, coast := range coasts {
			found[strings.ToUpper(string(coast.Sub()))] = on.neighbours(coast, godip.Sea)
		}
		return found
	}
	if on.graph.Flags(at)[godip.Sea] {
		return on.neighbours(at, godip.Sea)
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
func (on *variantMap) neighbours(at godip.Province, by godip.Flag) string {
	found := []godip.Province{}
	for to, flags := range on.graph.Edges(at, false) {
		isCoast := to != to.Super()
		if !flags[by] || !on.graph.Flags(to)[by] || isCoast && by == godip.Land {
			continue
		}
		if !isCoast && by == godip.Sea && len(coastsOf(on.graph, to)) > 0 {
			continue
		}
		found = append(found, to)
	}
	return on.list(found)
}

func (on *variantMap) powersAt(start *state.State) map[string]*Power {
	owned := map[godip.Nation][]godip.Province{}
	for center, nation := range start.SupplyCenters() {
		owned[nation] = append(owned[nation], center)
	}
	found := map[string]*Power{}
	for nation, power := range on.powers {
		found[power] = &Power{string(nation), on.list(on.graph.SCs(nation)), on.list(owned[nation]), []string{}}
	}
	for at, unit := range start.Units() {
		power := found[on.powers[unit.Nation]]
		power.Start = append(power.Start, string(unit.Type[:1])+" "+on.location(at))
	}
	return found
}

func (on *variantMap) list(provinces []godip.Province) string {
	codes := []string{}
	for _, province := range provinces {
		codes = append(codes, on.location(province))
	}
	sort.Strings(codes)
	return strings.Join(codes, " ")
}
