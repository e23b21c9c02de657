import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Lets datc-check ask your engine: JSON-RPC on standard input and output, one message a line.
 *
 * <p>datc-check starts this program as datc.toml says. Fill in initialize and adjudicate where it says TODO; the rest
 * can stay. `datc-check schema protocol` prints the schema of all messages.
 */
public final class DatcBridge {
    /** A unit, such as F STP/SC of RUSSIA. In an order its power and type are null if not written. */
    record Unit(String power, String type, String location) {}

    /** A unit that must retreat. Its attacker came from the province `from`, such as MUN. */
    record Dislodged(String power, String type, String location, String from, List<String> retreats) {}

    /**
     * An order in parts. It may be impossible: it stays as it was written. What a type does not have is null.
     *
     * @param type hold, move, support, convoy; retreat, disband; build, remove, waive
     * @param unit of all but waive
     * @param to of move, convoy, retreat; of support, but null where a hold is supported
     * @param path of move: the seas of its convoy, where the order names them
     * @param supported of support
     * @param convoyed of convoy
     */
    record Order(
            String type, Unit unit, String to, boolean via_convoy, List<String> path, Unit supported, Unit convoyed) {}

    /** FRANCE, "A Paris - Burgundy", and the same in parts: null where only the text can tell. */
    record GivenOrder(String power, String text, Order order) {}

    /** A choice for each issue: 4.A.1=all-routes. */
    record Ruleset(String name, Map<String, String> choices) {}

    /**
     * What is asked: to play one phase.
     *
     * @param map such as standard: only those that maps lists are asked
     * @param phase movement, retreat or adjustment
     * @param season spring, autumn or winter
     * @param units those on the board, also without an order
     * @param ruleset the rules in force, for an engine that plays several
     * @param centers in an adjustment phase, who owns what: FRANCE=[BRE, MAR, PAR]
     * @param dislodged in a retreat phase, those not in units: what you answered to the movement phase,
     * @param state and this, too
     */
    record Params(
            String map,
            String phase,
            String season,
            int year,
            List<Unit> units,
            List<GivenOrder> orders,
            Ruleset ruleset,
            Map<String, List<String>> centers,
            List<Dislodged> dislodged,
            JsonElement state) {}

    /**
     * What the phase made of it; null leaves out what you do not know. Only units must be there.
     *
     * @param units after it, but for those in dislodged
     * @param dislodged by a movement phase
     * @param orders what became of each order, in the same order
     * @param state what you need again in the retreat phase, such as where units bounced
     */
    record Answer(List<Unit> units, List<Dislodged> dislodged, List<Result> orders, JsonElement state) {}

    /** What became of an order: "succeeds" and null, or "fails" and "bounced". */
    record Result(String outcome, String reason) {}

    /** Answers a request with an error. The code -32004 says "unsupported": the engine cannot do that. */
    static final class RpcException extends Exception {
        final int code;

        RpcException(int code, String message) {
            super(message);
            this.code = code;
        }
    }

    /** Say who answers, and what it can do. */
    static Object initialize() {
        // What your engine loads when it is first used is best loaded here, for example by playing a phase:
        // the time limit of this answer is that of the start, longer than that of the others.
        return Map.of(
                "protocol", 1,
                "engine", Map.of("name", "my-engine", "version", "0.1.0", "url", ""), // TODO: name your engine
                "capabilities",
                        Map.of(
                                // TODO: add "retreat" and "adjustment" when you answer them, too
                                "phases", List.of("movement"),
                                "maps", List.of("standard"),
                                // add "text" if your engine reads the text of the orders itself
                                "orders", List.of("structured")));
    }

    /** Play one phase. Each request has its own position: keep nothing from one to the next. */
    static Answer adjudicate(Params params) throws RpcException {
        // TODO: ask your engine, and answer what it says. If all units held, whatever they were ordered, that would be:
        // return new Answer(params.units(), List.of(), null, null);
        throw new RpcException(-32004, "no " + params.phase() + " phase yet");
    }

    private static final Gson GSON = new GsonBuilder().setStrictness(Strictness.STRICT).create();

    private static Object call(String method, JsonElement params) throws RpcException {
        return switch (method) {
            case "initialize" -> initialize();
            case "adjudicate" -> adjudicate(GSON.fromJson(params, Params.class));
            default -> throw new RpcException(-32601, "no method " + method);
        };
    }

    private static JsonObject readRequest(String line) throws RpcException {
        JsonElement request;
        try {
            request = GSON.fromJson(line, JsonElement.class);
        } catch (JsonParseException error) {
            throw new RpcException(-32700, "not JSON: " + error.getMessage());
        }
        if (!(request instanceof JsonObject object)
                || !(object.get("method") instanceof JsonPrimitive method && method.isString())) {
            throw new RpcException(-32600, "not a request");
        }
        return object;
    }

    /** Answer a line, whatever it is. */
    static JsonObject respond(String line) {
        JsonObject response = new JsonObject();
        response.addProperty("jsonrpc", "2.0");
        response.add("id", JsonNull.INSTANCE);
        try {
            JsonObject request = readRequest(line);
            response.add("id", request.get("id"));
            response.add("result", GSON.toJsonTree(call(request.get("method").getAsString(), request.get("params"))));
        } catch (RpcException error) {
            response.add("error", GSON.toJsonTree(Map.of("code", error.code, "message", error.getMessage())));
        } catch (Exception | StackOverflowError error) {
            error.printStackTrace(); // on standard error, which is yours
            response.add("error", GSON.toJsonTree(Map.of("code", -32603, "message", error.toString())));
        }
        return response;
    }

    public static void main(String[] arguments) throws IOException {
        // Standard output belongs to the protocol: what the engine prints goes to standard error.
        PrintStream output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            if (!line.isBlank()) {
                output.print(respond(line) + "\n");
                output.flush();
            }
        }
    }
}
