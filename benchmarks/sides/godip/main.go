// Times godip; adjudicate.py starts it.
//
// It reads positions as one line of JSON, then answers each further line, the index of a workload, with the seconds of
// processor time from orders as read, or with the argument `text` from units and orders as texts, to the next phase:
// godip decides an order when it goes on to that.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/zond/godip"
	"github.com/zond/godip/orders"
	"github.com/zond/godip/state"
	"github.com/zond/godip/variants/classical"
)

var (
	types         = map[string]godip.UnitType{"A": godip.Army, "F": godip.Fleet}
	abbreviations = strings.NewReplacer("NAO", "nat", "NWG", "nrg", "MAO", "mid", "LYO", "gol")
)

// position is the units, each as its power, type and location, and the orders, each as its power and its text.
type position [2][][]string

func province(location string) godip.Province {
	code, coast, _ := strings.Cut(strings.ToLower(abbreviations.Replace(location)), "/")
	return godip.Province(code).Join(godip.Province(coast))
}

func nation(power string) godip.Nation {
	return godip.Nation(power[:1] + strings.ToLower(power[1:]))
}

// order reads one such as "F NTH C A LON - NWY" or "A PAR S A MAR".
func order(text string) godip.Adjudicator {
	words := strings.Fields(text)
	at, last := province(words[1]), province(words[len(words)-1])
	switch words[2] {
	case "-":
		return orders.Move(at, last)
	case "C":
		return orders.Convoy(at, province(words[4]), last)
	case "S":
		if len(words) > 5 {
			return orders.SupportMove(at, province(words[4]), last)
		}
		return orders.SupportHold(at, last)
	}
	return orders.Hold(at)
}

// game stands before a movement phase without orders.
func game(units [][]string) *state.State {
	placed := map[godip.Province]godip.Unit{}
	for _, unit := range units {
		placed[province(unit[2])] = godip.Unit{Type: types[unit[1]], Nation: nation(unit[0])}
	}
	return classical.Blank(classical.NewPhase(1901, godip.Spring, godip.Movement)).Load(
		placed,
		map[godip.Province]godip.Nation{},
		map[godip.Province]godip.Unit{},
		map[godip.Province]godip.Province{},
		map[godip.Province]map[godip.Province]bool{},
		map[godip.Province]godip.Adjudicator{},
	)
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// adjudicated times what it takes to check and decide the orders of games; a game cannot be used twice.
func adjudicated(load []position, fromText bool) time.Duration {
	runtime.GC()
	began := processorTime()
	games, given := make([]*state.State, len(load)), make([][]godip.Adjudicator, len(load))
	for index, each := range load {
		games[index] = game(each[0])
		for _, text := range each[1] {
			given[index] = append(given[index], order(text[1]))
		}
	}
	if !fromText {
		runtime.GC()
		began = processorTime()
	}
	for index, each := range games {
		for _, order := range given[index] {
			if _, err := order.Validate(each); err == nil {
				_ = each.SetOrder(order.Targets()[0], order)
			}
		}
		if err := each.Next(); err != nil {
			panic(err)
		}
	}
	return processorTime() - began
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	first, err := lines.ReadBytes('\n')
	if err != nil {
		panic(err)
	}
	var loads [][]position
	if err := json.Unmarshal(first, &loads); err != nil {
		panic(err)
	}
	fmt.Println("ready")
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		index, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			panic(err)
		}
		fmt.Println(adjudicated(loads[index], len(os.Args) > 1).Seconds())
	}
}
