// Lets datc-check ask your engine: JSON-RPC on standard input and output, one message a line.
//
// datc-check builds and starts this program as `datc.toml` says. Fill in `initialize` and `adjudicate` where it says
// TODO; the rest can stay. `datc-check schema protocol` prints the schema of all messages.
//
// It needs the header of https://github.com/nlohmann/json: `apt install nlohmann-json3-dev`, `brew install
// nlohmann-json`, or `vcpkg install nlohmann-json`. An engine in C can be called from here, too: `extern "C"`.

#include <cstdio>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

using nlohmann::json;

// Answers a request with an error. The code -32004 says "unsupported": the engine cannot do that.
struct RpcError : std::runtime_error {
    int code;
    RpcError(int code, const std::string& message) : std::runtime_error(message), code(code) {}
};

// Say who answers, and what it can do.
json initialize() {
    // What your engine loads when it is first used is best loaded here, for example by playing a phase:
    // the time limit of this answer is that of the start, longer than that of the others.
    return {
        {"protocol", 1},
        {"engine", {{"name", "my-engine"}, {"version", "0.1.0"}, {"url", ""}}},  // TODO: name your engine
        {"capabilities",
         {
             {"phases", {"movement"}},  // TODO: add "retreat" and "adjustment" when you answer them, too
             {"maps", {"standard"}},
             {"orders", {"structured"}},  // add "text" if your engine reads the text of the orders itself
         }},
    };
}

// Play one phase. Each request has its own position: keep nothing from one to the next.
json adjudicate(const json& params) {
    const std::string phase = params.at("phase");
    // What is asked:
    //   params["phase"]      "movement", "retreat" or "adjustment"
    //   params["map"]        the map, such as "standard": only those that "maps" lists are asked
    //   params["season"]     "spring", "autumn" or "winter"; params["year"] is a number, such as 1901
    //   params["units"]      the units on the board, those without an order, too:
    //                          {"power": "FRANCE", "type": "A", "location": "PAR"}
    //                          {"power": "RUSSIA", "type": "F", "location": "STP/SC"}
    //   params["orders"]     the orders, each as text and in parts; "order" is missing where only "text" can tell:
    //                          {"power": "FRANCE", "text": "A Paris - Burgundy", "order": {"type": "move",
    //                           "unit": {"type": "A", "location": "PAR"}, "to": "BUR", "via_convoy": false}}
    //                        An order may be impossible, and "type" may be missing in its unit: it stays as written.
    //                        Read what may be missing with `contains` or `value`.
    //                          hold     unit
    //                          move     unit, to, via_convoy, and path where it names the seas of its convoy
    //                          support  unit, supported (a unit), and to: missing where a hold is supported
    //                          convoy   unit, convoyed (a unit), to
    //   params["ruleset"]    the rules in force: {"choices": {"4.A.1": "all-routes", ...}, ...}
    //   In a retreat phase:
    //   params["dislodged"]  the units that must retreat, not in params["units"]; as you answered them
    //   params["state"]      as you answered it
    //   params["orders"]       retreat  unit, to
    //                          disband  unit
    //   In an adjustment phase:
    //   params["centers"]    who owns what: {"FRANCE": ["BRE", "MAR", "PAR"], ...}
    //   params["orders"]       build    unit
    //                          remove   unit
    //                          waive
    //
    // What to answer:
    //   "units"      the units after the phase, as in params["units"], but for those in "dislodged"
    //   "dislodged"  after a movement phase, the units that were dislodged; "from" is where the attacker came from:
    //                  {"power": "FRANCE", "type": "A", "location": "BUR", "from": "MUN", "retreats": ["GAS", "PIC"]}
    //   "orders"     may be left out: what became of each of params["orders"], in the same order; null if unknown:
    //                  {"outcome": "succeeds"} or {"outcome": "fails", "reason": "bounced"}
    //   "state"      may be left out: what you need again in the retreat phase, such as where units bounced
    //
    // TODO: ask your engine, and answer what it says. If all units held, whatever they were ordered, that would be:
    // return {{"units", params.at("units")}, {"dislodged", json::array()}};
    throw RpcError(-32004, "no " + phase + " phase yet");
}

json call(const json& request) {
    if (!request.is_object() || !request.contains("method") || !request["method"].is_string())
        throw RpcError(-32600, "not a request");
    const std::string method = request["method"];
    if (method == "initialize") return initialize();
    if (method == "adjudicate") return adjudicate(request.value("params", json::object()));
    throw RpcError(-32601, "no method " + method);
}

// Answer a request, whatever happens.
json respond(const std::string& line) {
    json id = nullptr;
    const auto error = [&id](int code, const std::string& message) -> json {
        return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}};
    };
    try {
        const json request = json::parse(line);
        if (request.is_object() && request.contains("id")) id = request["id"];
        return {{"jsonrpc", "2.0"}, {"id", id}, {"result", call(request)}};
    } catch (const json::parse_error& reason) {
        return error(-32700, std::string("not JSON: ") + reason.what());
    } catch (const RpcError& reason) {
        return error(reason.code, reason.what());
    } catch (const std::exception& reason) {
        return error(-32603, reason.what());
    }
}

int main() {
    std::ios::sync_with_stdio(false);
    // Standard output belongs to the protocol: what the engine and the programs that it starts print on it goes to
    // standard error.
    std::FILE* const output = fdopen(dup(1), "w");
    dup2(2, 1);
    std::setbuf(stdout, nullptr);
    std::cout << std::unitbuf;
    for (std::string line; std::getline(std::cin, line);) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        const std::string answer = respond(line).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
        std::fwrite(answer.data(), 1, answer.size(), output);
        std::fflush(output);
    }
}
