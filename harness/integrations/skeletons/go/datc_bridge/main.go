// Lets datc-check ask your engine: JSON-RPC on standard input and output, one message a line.
//
// datc-check starts this program as datc.toml says. Fill in initialize and adjudicate where it says
// TODO; the rest can stay. `datc-check schema protocol` prints the schema of all messages.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
)

// Unit is {"power": "RUSSIA", "type": "F", "location": "STP/SC"}. In an order its power and type are
// empty where they were not written.
type Unit struct {
	Power    string `json:"power,omitempty"`
	Type     string `json:"type,omitempty"`
	Location string `json:"location"`
}

// Dislodged is a unit that must retreat. From is where its attacker came from, such as "MUN".
type Dislodged struct {
	Unit
	From     string   `json:"from,omitempty"`
	Retreats []string `json:"retreats"`
}

// Order is an order in parts. It may be impossible: it stays as it was written.
type Order struct {
	Type      string   `json:"type"`       // with the fields that it has:
	Unit      Unit     `json:"unit"`       // hold, move, support, convoy, retreat, disband, build, remove; not waive
	To        string   `json:"to"`         // move, convoy, retreat; support, but empty where a hold is supported
	ViaConvoy bool     `json:"via_convoy"` // move
	Path      []string `json:"path"`       // move: the seas of its convoy, where the order names them
	Supported Unit     `json:"supported"`  // support
	Convoyed  Unit     `json:"convoyed"`   // convoy
}

// Params is what is asked: to play one phase.
type Params struct {
	Map    string `json:"map"`    // such as "standard": only those that "maps" lists are asked
	Phase  string `json:"phase"`  // "movement", "retreat" or "adjustment"
	Season string `json:"season"` // "spring", "autumn" or "winter"
	Year   int    `json:"year"`
	Units  []Unit `json:"units"` // those on the board, also without an order
	Orders []struct {
		Power string `json:"power"` // "FRANCE"
		Text  string `json:"text"`  // "A Paris - Burgundy"
		Order *Order `json:"order"` // {"move", {"A", "PAR"}, "BUR"}; nil where only the text can tell
	} `json:"orders"`
	Ruleset struct {
		Choices map[string]string `json:"choices"` // {"4.A.1": "all-routes", ...}
	} `json:"ruleset"` // the rules in force, for an engine that plays several
	Centers   map[string][]string `json:"centers"`   // adjustment: {"FRANCE": ["BRE", "MAR", "PAR"], ...}
	Dislodged []Dislodged         `json:"dislodged"` // retreat: those not in Units, as you answered to the movement phase,
	State     json.RawMessage     `json:"state"`     // and this, too
}

// Answer is what the phase made of it.
type Answer struct {
	Units     []Unit          `json:"units"`            // after it, but for those in Dislodged
	Dislodged []Dislodged     `json:"dislodged"`        // by a movement phase; nil says that your engine does not know
	Orders    []*Result       `json:"orders,omitempty"` // of each order, nil if unknown; may be left out
	State     json.RawMessage `json:"state,omitempty"`  // what you need again in the retreat phase; may be left out
}

// Result is what became of an order: {"succeeds", ""} or {"fails", "bounced"}.
type Result struct {
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
}

// RPCError answers a request with an error. The code -32004 says "unsupported": the engine cannot do that.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *RPCError) Error() string { return e.Message }

// initialize says who answers, and what it can do.
func initialize() any {
	// What your engine loads when it is first used is best loaded here, for example by playing a phase:
	// the time limit of this answer is that of the start, longer than that of the others.
	return map[string]any{
		"protocol": 1,
		"engine":   map[string]any{"name": "my-engine", "version": "0.1.0", "url": ""}, // TODO: name your engine
		"capabilities": map[string]any{
			"phases": []string{"movement"}, // TODO: add "retreat" and "adjustment" when you answer them, too
			"maps":   []string{"standard"},
			"orders": []string{"structured"}, // add "text" if your engine reads the text of the orders itself
		},
	}
}

// adjudicate plays one phase. Each request has its own position: keep nothing from one to the next.
func adjudicate(params Params) (*Answer, error) {
	// TODO: ask your engine, and answer what it says. If all units held, whatever they were ordered, that would be:
	// return &Answer{Units: params.Units, Dislodged: []Dislodged{}}, nil
	return nil, &RPCError{-32004, "no " + params.Phase + " phase yet"}
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *RPCError       `json:"error,omitempty"`
}

// call finds the answer to a request; a panic of the engine is an error, too.
func call(asked request) (result any, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			debug.PrintStack() // on standard error, which is yours
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	switch asked.Method {
	case "initialize":
		return initialize(), nil
	case "adjudicate":
		var params Params
		if err := json.Unmarshal(asked.Params, &params); err != nil {
			return nil, err
		}
		answer, err := adjudicate(params)
		if err == nil && answer.Units == nil {
			answer.Units = []Unit{} // nil would be null
		}
		return answer, err
	}
	return nil, &RPCError{-32601, "no method " + asked.Method}
}

// respond answers a line, whatever it is.
func respond(line []byte) response {
	asked, answer := request{}, response{Version: "2.0"}
	if !json.Valid(line) {
		answer.Error = &RPCError{-32700, "not JSON"}
		return answer
	}
	if json.Unmarshal(line, &asked) != nil || asked.Method == "" {
		answer.Error = &RPCError{-32600, "not a request"}
		return answer
	}
	answer.ID = asked.ID
	result, err := call(asked)
	if err == nil {
		answer.Result, err = json.Marshal(result)
	}
	if err != nil && !errors.As(err, &answer.Error) {
		answer.Error = &RPCError{-32603, err.Error()}
	}
	return answer
}

func main() {
	// Standard output belongs to the protocol: what the engine prints goes to standard error.
	output := json.NewEncoder(os.Stdout)
	os.Stdout = os.Stderr
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := output.Encode(respond(line)); err != nil {
				os.Exit(1)
			}
		}
		if err != nil {
			return
		}
	}
}
