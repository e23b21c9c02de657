<?php

// Lets datc-check ask your engine: JSON-RPC on standard input and output, one message a line.
//
// datc-check starts this program as `datc.toml` says. Fill in `initialize` and `adjudicate` where it says TODO; the
// rest can stay. `datc-check schema protocol` prints the schema of all messages.

declare(strict_types=1);

// require __DIR__ . '/vendor/autoload.php';

/** Answers a request with an error. The code -32004 says "unsupported": the engine cannot do that. */
final class RpcError extends Exception
{
}

/** Say who answers, and what it can do. */
function initialize(): array
{
    // What your engine loads when it is first used is best loaded here, for example by playing a phase:
    // the time limit of this answer is that of the start, longer than that of the others.
    return [
        'protocol' => 1,
        'engine' => ['name' => 'my-engine', 'version' => '0.1.0', 'url' => ''], // TODO: name your engine
        'capabilities' => [
            'phases' => ['movement'], // TODO: add "retreat" and "adjustment" when you answer them, too
            'maps' => ['standard'],
            'orders' => ['structured'], // add "text" if your engine reads the text of the orders itself
        ],
    ];
}

/** Play one phase. Each request has its own position: keep nothing from one to the next. */
function adjudicate(stdClass $params): array
{
    $phase = $params->phase ?? '';
    // What is asked, as objects:
    //   $params->phase      "movement", "retreat" or "adjustment"
    //   $params->map        the map, such as "standard": only those that "maps" lists are asked
    //   $params->season     "spring", "autumn" or "winter"; $params->year is a number, such as 1901
    //   $params->units      the units on the board, those without an order, too:
    //                         {"power": "FRANCE", "type": "A", "location": "PAR"}
    //                         {"power": "RUSSIA", "type": "F", "location": "STP/SC"}
    //   $params->orders     the orders, each as text and in parts; "order" is missing where only "text" can tell:
    //                         {"power": "FRANCE", "text": "A Paris - Burgundy", "order": {"type": "move",
    //                          "unit": {"type": "A", "location": "PAR"}, "to": "BUR", "via_convoy": false}}
    //                       An order may be impossible, and "type" may be missing in its unit: it stays as written.
    //                       Read what may be missing with `??`.
    //                         hold     unit
    //                         move     unit, to, via_convoy, and path where it names the seas of its convoy
    //                         support  unit, supported (a unit), and to: missing where a hold is supported
    //                         convoy   unit, convoyed (a unit), to
    //   $params->ruleset    the rules in force: {"choices": {"4.A.1": "all-routes", ...}, ...}
    //   In a retreat phase:
    //   $params->dislodged  the units that must retreat, not in $params->units; as you answered them
    //   $params->state      as you answered it
    //   $params->orders       retreat  unit, to
    //                         disband  unit
    //   In an adjustment phase:
    //   $params->centers    who owns what: {"FRANCE": ["BRE", "MAR", "PAR"], ...}
    //   $params->orders       build    unit
    //                         remove   unit
    //                         waive
    //
    // What to answer:
    //   units      the units after the phase, as in $params->units, but for those in dislodged: a list, without
    //              gaps in its keys (`array_values`)
    //   dislodged  after a movement phase, the units that were dislodged; "from" is where the attacker came from:
    //                {"power": "FRANCE", "type": "A", "location": "BUR", "from": "MUN", "retreats": ["GAS", "PIC"]}
    //   orders     may be left out: what became of each of $params->orders, in the same order; null if unknown:
    //                {"outcome": "succeeds"} or {"outcome": "fails", "reason": "bounced"}
    //   state      may be left out: what you need again in the retreat phase, such as where units bounced
    //
    // TODO: ask your engine, and answer what it says. If all units held, whatever they were ordered, that would be:
    // return ['units' => $params->units, 'dislodged' => []];
    throw new RpcError("no $phase phase yet", -32004);
}

function call(mixed $request): array
{
    if (!$request instanceof stdClass || !is_string($request->method ?? null)) {
        throw new RpcError('not a request', -32600);
    }
    return match ($request->method) {
        'initialize' => initialize(),
        'adjudicate' => adjudicate($request->params ?? new stdClass()),
        default => throw new RpcError("no method {$request->method}", -32601),
    };
}

/** Answer a request, whatever happens. */
function respond(string $line): string
{
    $id = null;
    $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE;
    try {
        try {
            $request = json_decode($line, false, 512, JSON_THROW_ON_ERROR);
        } catch (JsonException $error) {
            throw new RpcError("not JSON: {$error->getMessage()}", -32700);
        }
        $id = $request->id ?? null;
        return json_encode(['jsonrpc' => '2.0', 'id' => $id, 'result' => call($request)], $flags);
    } catch (Throwable $error) {
        $code = $error instanceof RpcError ? $error->getCode() : -32603;
        if ($code === -32603) {
            fwrite(STDERR, "$error\n");
        }
        return json_encode(
            ['jsonrpc' => '2.0', 'id' => $id, 'error' => ['code' => $code, 'message' => $error->getMessage()]],
            $flags,
        );
    }
}

// Standard output belongs to the protocol: what the engine prints, and PHP's warnings, go to standard error.
ini_set('display_errors', 'stderr');
ob_start(function (string $text): string {
    fwrite(STDERR, $text);
    return '';
}, 1);
while (($line = fgets(STDIN)) !== false) {
    if (trim($line) !== '') {
        fwrite(STDOUT, respond($line) . "\n");
    }
}
