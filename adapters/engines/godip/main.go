// A bridge from datc-check to godip: JSON-RPC on standard input and output, one message a line.
//
// This file speaks the protocol. adjudicate.go asks godip, maps.go reads its maps.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

const (
	parseError     = -32700
	invalidRequest = -32600
	unknownMethod  = -32601
	invalidParams  = -32602
	internalError  = -32603
	unsupported    = -32004
)

// Unit is {"power": "RUSSIA", "type": "F", "location": "STP/SC"}. In an order, power and type are empty if not written.
type Unit struct {
	Power    string `json:"power,omitempty"`
	Type     string `json:"type,omitempty"`
	Location string `json:"location"`
}

// Dislodged is a unit that must retreat, or cannot. From is the province of its attacker.
type Dislodged struct {
	Unit
	From     string   `json:"from,omitempty"`
	Retreats []string `json:"retreats"`
}

// Order is an order in parts, as it was written.
type Order struct {
	Type      string `json:"type"`
	Unit      Unit   `json:"unit"`
	To        string `json:"to"`
	ViaConvoy bool   `json:"via_convoy"`
	Supported Unit   `json:"supported"`
	Convoyed  Unit   `json:"convoyed"`
}

// GivenOrder is an order of a power. Order is nil if only the text can tell what is meant.
type GivenOrder struct {
	Power string `json:"power"`
	Order *Order `json:"order"`
}

// Params is a phase to adjudicate.
type Params struct {
	Map       string              `json:"map"`
	Phase     string              `json:"phase"`
	Season    string              `json:"season"`
	Year      int                 `json:"year"`
	Units     []Unit              `json:"units"`
	Orders    []GivenOrder        `json:"orders"`
	Centers   map[string][]string `json:"centers"`
	Dislodged []Dislodged         `json:"dislodged"`
	State     json.RawMessage     `json:"state"`
}

// Answer is the adjudication of a phase.
type Answer struct {
	Units     []Unit      `json:"units"`
	Dislodged []Dislodged `json:"dislodged,omitempty"`
	Orders    []*Result   `json:"orders,omitempty"`
	State     any         `json:"state,omitempty"`
}

// Result is the outcome of an order: {"succeeds", ""} or {"fails", "bounced"}.
type Result struct {
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
}

// RPCError is a request that gets a JSON-RPC error for an answer.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *RPCError) Error() string { return e.Message }

type request struct {
	ID     json.RawMessage `json:"id"`
	Method *string         `json:"method"`
	Params json.RawMessage `json:"params"`
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *RPCError       `json:"error,omitempty"`
}

// engineVersion returns the version of godip that was built in, and nothing for a checkout: that has no version.
func engineVersion() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/zond/godip" && module.Replace == nil {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	return ""
}

func initialize() any {
	return map[string]any{
		"protocol": 1,
		"engine": map[string]any{
			"name": "godip", "version": engineVersion(), "url": "https://pkg.go.dev/github.com/zond/godip",
		},
		"capabilities": map[string]any{
			"phases": []string{"movement", "retreat", "adjustment"},
			"maps":   mapNames(),
			"orders": []string{"structured"},
		},
	}
}

// call finds the answer to a request. A panic of godip is an error, too.
func call(method string, params json.RawMessage) (result any, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			debug.PrintStack()
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	switch method {
	case "initialize":
		return initialize(), nil
	case "adjudicate":
		asked := Params{}
		if err := json.Unmarshal(params, &asked); err != nil {
			return nil, &RPCError{invalidParams, err.Error()}
		}
		return adjudicate(asked)
	case "map":
		asked := Params{}
		if err := json.Unmarshal(params, &asked); err != nil {
			return nil, &RPCError{invalidParams, err.Error()}
		}
		return giveMap(asked.Map)
	}
	return nil, &RPCError{unknownMethod, fmt.Sprintf("no method %q", method)}
}

// respond answers a line. A notification gets no answer.
func respond(line []byte) *response {
	asked, answer := request{}, &response{Version: "2.0"}
	if !json.Valid(line) {
		answer.Error = &RPCError{parseError, "not JSON"}
		return answer
	}
	if json.Unmarshal(line, &asked) != nil || asked.Method == nil {
		answer.Error = &RPCError{invalidRequest, "not a request"}
		return answer
	}
	if asked.ID == nil {
		return nil
	}
	answer.ID = asked.ID
	result, err := call(*asked.Method, asked.Params)
	if err == nil {
		answer.Result, err = json.Marshal(result)
	}
	if err != nil && !errors.As(err, &answer.Error) {
		answer.Error = &RPCError{internalError, err.Error()}
	}
	return answer
}

func main() {
	// Standard output is for the protocol: what godip prints goes to standard error.
	output := json.NewEncoder(os.Stdout)
	os.Stdout = os.Stderr
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if answer := respond(line); answer != nil && output.Encode(answer) != nil {
				os.Exit(1)
			}
		}
		if err != nil {
			return
		}
	}
}
