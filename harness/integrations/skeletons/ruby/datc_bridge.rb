# frozen_string_literal: true

# Lets datc-check ask your engine: JSON-RPC on standard input and output, one message a line.
#
# datc-check starts this program as `datc.toml` says. Fill in `initialize_engine` and `adjudicate` where it says TODO;
# the rest can stay. `datc-check schema protocol` prints the schema of all messages.

require "json"

# require_relative "lib/my_engine"

# Answers a request with an error. The code -32004 says "unsupported": the engine cannot do that.
class RpcError < StandardError
  attr_reader :code

  def initialize(code, message)
    super(message)
    @code = code
  end
end

# Say who answers, and what it can do.
def initialize_engine
  # What your engine loads when it is first used is best loaded here, for example by playing a phase:
  # the time limit of this answer is that of the start, longer than that of the others.
  {
    protocol: 1,
    engine: { name: "my-engine", version: "0.1.0", url: "" }, # TODO: name your engine
    capabilities: {
      phases: ["movement"], # TODO: add "retreat" and "adjustment" when you answer them, too
      maps: ["standard"],
      orders: ["structured"] # add "text" if your engine reads the text of the orders itself
    }
  }
end

# Play one phase. Each request has its own position: keep nothing from one to the next.
def adjudicate(params)
  # What is asked:
  #   params["phase"]      "movement", "retreat" or "adjustment"
  #   params["map"]        the map, such as "standard": only those that "maps" lists are asked
  #   params["season"]     "spring", "autumn" or "winter"; params["year"] is a number, such as 1901
  #   params["units"]      the units on the board, those without an order, too:
  #                          {"power": "FRANCE", "type": "A", "location": "PAR"}
  #                          {"power": "RUSSIA", "type": "F", "location": "STP/SC"}
  #   params["orders"]     the orders, each as text and in parts; "order" is missing where only "text" can tell:
  #                          {"power": "FRANCE", "text": "A Paris - Burgundy", "order": {"type": "move",
  #                           "unit": {"type": "A", "location": "PAR"}, "to": "BUR", "via_convoy": false}}
  #                        An order may be impossible, and "type" may be missing in its unit: it stays as written.
  #                          hold     unit
  #                          move     unit, to, via_convoy, and path where it names the seas of its convoy
  #                          support  unit, supported (a unit), and to: missing where a hold is supported
  #                          convoy   unit, convoyed (a unit), to
  #   params["ruleset"]    the rules in force: {"choices": {"4.A.1": "all-routes", ...}, ...}
  #   In a retreat phase:
  #   params["dislodged"]  the units that must retreat, not in params["units"]; as you answered them
  #   params["state"]      as you answered it
  #   params["orders"]       retreat  unit, to
  #                          disband  unit
  #   In an adjustment phase:
  #   params["centers"]    who owns what: {"FRANCE": ["BRE", "MAR", "PAR"], ...}
  #   params["orders"]       build    unit
  #                          remove   unit
  #                          waive
  #
  # What to answer:
  #   units      the units after the phase, as in params["units"], but for those in dislodged
  #   dislodged  after a movement phase, the units that were dislodged; "from" is where the attacker came from:
  #                {"power": "FRANCE", "type": "A", "location": "BUR", "from": "MUN", "retreats": ["GAS", "PIC"]}
  #   orders     may be left out: what became of each of params["orders"], in the same order; nil if unknown:
  #                {"outcome": "succeeds"} or {"outcome": "fails", "reason": "bounced"}
  #   state      may be left out: what you need again in the retreat phase, such as where units bounced
  #
  # TODO: ask your engine, and answer what it says. If all units held, whatever they were ordered, that would be:
  # return { units: params["units"], dislodged: [] }
  raise RpcError.new(-32004, "no #{params["phase"]} phase yet")
end

def call(request)
  raise RpcError.new(-32600, "not a request") unless request.is_a?(Hash) && request["method"].is_a?(String)

  case request["method"]
  when "initialize" then initialize_engine
  when "adjudicate" then adjudicate(request["params"] || {})
  else raise RpcError.new(-32601, "no method #{request["method"]}")
  end
end

# Answer a request, whatever happens.
def respond(line)
  id = nil
  begin
    text = line.force_encoding(Encoding::UTF_8)
    raise RpcError.new(-32700, "not UTF-8") unless text.valid_encoding?

    request = JSON.parse(text)
    id = request["id"] if request.is_a?(Hash)
    JSON.generate({ jsonrpc: "2.0", id: id, result: call(request) })
  rescue StandardError, ScriptError, SystemStackError => e
    code = case e
           when RpcError then e.code
           when JSON::ParserError then -32700
           else -32603
           end
    warn(e.full_message) if code == -32603
    JSON.generate({ jsonrpc: "2.0", id: id, error: { code: code, message: e.message.scrub } })
  end
end

# Standard output belongs to the protocol: what the engine and the programs that it starts print goes to standard error.
output = $stdout.dup
$stdout.reopen($stderr)
output.sync = true
$stdin.binmode
$stdin.each_line { |line| output.puts(respond(line)) unless line.strip.empty? }
