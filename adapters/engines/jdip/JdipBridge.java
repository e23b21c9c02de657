import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A bridge from datc-check to jDip: JSON-RPC on standard input and output, one message a line.
 *
 * <p>This class speaks the protocol. JdipGame asks jDip. The argument is the folder of jDip's variants.
 */
public final class JdipBridge {
    private static final int PARSE_ERROR = -32700;
    private static final int INVALID_REQUEST = -32600;
    private static final int UNKNOWN_METHOD = -32601;
    private static final int INVALID_PARAMS = -32602;
    private static final int INTERNAL_ERROR = -32603;
    private static final int UNSUPPORTED = -32004;
    private static final Gson GSON = new GsonBuilder().setStrictness(Strictness.STRICT).create();

    private final Map<String, JdipGame> games;

    private JdipBridge(Map<String, JdipGame> games) {
        this.games = games;
    }

    /** A request that gets a JSON-RPC error for an answer. */
    private static final class RpcException extends Exception {
        private final int code;

        private RpcException(int code, String message) {
            super(message);
            this.code = code;
        }
    }

    private JsonElement initialize() {
        return GSON.toJsonTree(Map.of(
                "protocol", 1,
                "engine",
                        Map.of("name", "jDip", "version", JdipGame.version(), "url", "https://jdip.sourceforge.net/"),
                "capabilities",
                        Map.of(
                                "phases", new String[] {"movement", "retreat", "adjustment"},
                                "maps", games.keySet(),
                                "orders", new String[] {"structured"})));
    }

    private JsonElement adjudicate(JsonElement asked) throws Exception {
        JdipGame.Params params;
        try {
            params = GSON.fromJson(asked, JdipGame.Params.class);
        } catch (JsonParseException error) {
            throw new RpcException(INVALID_PARAMS, error.getMessage());
        }
        JdipGame game = games.get(params.map());
        if (game == null) {
            throw new RpcException(UNSUPPORTED, "no map " + params.map());
        }
        JdipGame.Answer answer =
                switch (params.phase()) {
                    case "movement" -> game.playMovement(params);
                    case "retreat" -> game.playRetreat(params, GSON.fromJson(params.state(), JdipGame.Params.class));
                    case "adjustment" -> game.playAdjustment(params);
                    default -> throw new RpcException(UNSUPPORTED, "no phase " + params.phase());
                };
        JsonObject result = GSON.toJsonTree(answer).getAsJsonObject();
        if (params.phase().equals("movement")) {
            result.add("state", asked); // jDip wants the movement phase back, to say where a unit may retreat.
        }
        return result;
    }

    private JsonElement call(String method, JsonElement params) throws Exception {
        return switch (method) {
            case "initialize" -> initialize();
            case "adjudicate" -> adjudicate(params);
            default -> throw new RpcException(UNKNOWN_METHOD, "no method " + method);
        };
    }

    private static JsonObject readRequest(String line) throws RpcException {
        JsonElement request;
        try {
            request = GSON.fromJson(line, JsonElement.class);
        } catch (JsonParseException error) {
            throw new RpcException(PARSE_ERROR, "not JSON: " + error.getMessage());
        }
        if (!(request instanceof JsonObject object)
                || !(object.get("method") instanceof JsonPrimitive method && method.isString())) {
            throw new RpcException(INVALID_REQUEST, "not a request");
        }
        return object;
    }

    /** Answer a line; a notification gets no answer. */
    private JsonObject respond(String line) {
        JsonObject response = new JsonObject();
        response.addProperty("jsonrpc", "2.0");
        response.add("id", JsonNull.INSTANCE);
        try {
            JsonObject request = readRequest(line);
            if (!request.has("id")) {
                return null;
            }
            response.add("id", request.get("id"));
            response.add("result", call(request.get("method").getAsString(), request.get("params")));
        } catch (RpcException error) {
            response.add("error", GSON.toJsonTree(Map.of("code", error.code, "message", error.getMessage())));
        } catch (Exception | StackOverflowError | AssertionError error) {
            error.printStackTrace();
            response.add("error", GSON.toJsonTree(Map.of("code", INTERNAL_ERROR, "message", error.toString())));
        }
        return response;
    }

    public static void main(String[] arguments) throws Exception {
        // Standard output is for the protocol: what jDip prints goes to standard error.
        PrintStream output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err);
        JdipBridge bridge = new JdipBridge(JdipGame.load(new File(arguments[0])));
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            JsonObject response = line.isBlank() ? null : bridge.respond(line);
            if (response != null) {
                output.print(response + "\n");
                output.flush();
            }
        }
    }
}
