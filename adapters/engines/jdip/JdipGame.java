import com.google.gson.JsonElement;
import dip.misc.Utils;
import dip.order.Order;
import dip.order.OrderException;
import dip.order.OrderFactory;
import dip.order.OrderWarning;
import dip.order.ValidationOptions;
import dip.order.result.BouncedResult;
import dip.order.result.OrderResult;
import dip.order.result.OrderResult.ResultType;
import dip.process.OrderState;
import dip.process.RetreatChecker;
import dip.process.StdAdjudicator;
import dip.process.Tristate;
import dip.world.Location;
import dip.world.Phase;
import dip.world.Phase.PhaseType;
import dip.world.Phase.SeasonType;
import dip.world.Position;
import dip.world.Power;
import dip.world.Province;
import dip.world.RuleOptions;
import dip.world.TurnState;
import dip.world.VictoryConditions;
import dip.world.World;
import dip.world.WorldFactory;
import dip.world.variant.VariantManager;
import dip.world.variant.data.Variant;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Asks jDip to play one phase of a position. Nothing is kept from one phase to the next. */
final class JdipGame {
    /** A unit, such as F STP/SC of RUSSIA. In an order its power and type are null if not written. */
    record Unit(String power, String type, String location) {}

    /** A unit that must retreat, or cannot. Its attacker came from the province `from`. */
    record Dislodged(String power, String type, String location, String from, List<String> retreats) {}

    /** An order in parts, as it was written. What a type does not have is null. */
    record Parts(
            String type, Unit unit, String to, boolean via_convoy, List<String> path, Unit supported, Unit convoyed) {}

    /** An order of a power. Its parts are null if only the text can tell what is meant. */
    record GivenOrder(String power, Parts order) {}

    /** A phase to play. */
    record Params(
            String map,
            String phase,
            String season,
            int year,
            List<Unit> units,
            List<GivenOrder> orders,
            Map<String, List<String>> centers,
            JsonElement state) {}

    /** What came of a phase. */
    record Answer(List<Unit> units, List<Dislodged> dislodged, List<Result> orders) {}

    /** What came of an order: "succeeds" and null, or "fails" and "bounced". */
    record Result(String outcome, String reason) {}

    /** The reasons for texts of failed orders, by their keys in jDip's table of texts. */
    private static final Map<String, String> REASONS = Map.ofEntries(
            Map.entry("STDADJ_MV_SZYKMAN_MOVE_FAILED", "disrupted"),
            Map.entry("MOVE_VER_NO_ROUTE", "no-path"),
            Map.entry("MOVE_EVAL_BAD_ROUTE", "disrupted"),
            Map.entry("MOVE_FAILED", "bounced"),
            Map.entry("MOVE_FAILED_NO_SELF_DISLODGE", "bounced"),
            Map.entry("MOVE_FAILED_DEP", "bounced"),
            Map.entry("SUPPORT_VER_FAILTEXT", "void"),
            Map.entry("SUPPORT_VER_MOVE_ERR", "void"),
            Map.entry("SUPPORT_VER_NOMATCH", "void"),
            Map.entry("SUPPORT_VER_MOVE_BADCOAST", "void"),
            Map.entry("CONVOY_VER_NOMOVE", "void"));

    /** The variants of jDip for the maps that it plays, each with the codes that it has others for. */
    private static final Map<String, Source> SOURCES = Map.of(
            "standard", new Source("Standard", Map.of()),
            "1898", new Source("1898", Map.of()),
            "chaos", new Source("Chaos", Map.of()),
            "convoying-coasts", new Source("DATC_ConvoyingCoastal", Map.of("NWY", "NOR")),
            "loeb9", new Source("Loeb9", Map.of()),
            "loeb9-sicily", new Source("DATC_Loeb9_tc14fgl", Map.of("NWY", "NOR")),
            "modern", new Source("Modern", Map.of("ADL", "AND", "CRP", "CEN", "NWY", "NOR", "SLK", "SLO")),
            "pure", new Source("Pure", Map.of()));

    private static final int FOR_EVER = 1_000_000;
    private static final OrderFactory ORDERS = OrderFactory.getDefault();

    private record Source(String variant, Map<String, String> codes) {}

    private final World world;
    private final Position start;
    private final Map<String, String> toCodes;
    private final Map<String, String> fromCodes = new HashMap<>();
    private final Map<String, Power> powers = new HashMap<>();
    private final Map<Power, String> powerNames = new HashMap<>();

    /** Load the maps by their names, from a folder with jDip's packages of variants. */
    static Map<String, JdipGame> load(File variants) throws Exception {
        VariantManager.init(new File[] {variants}, false);
        Map<String, JdipGame> games = new TreeMap<>();
        for (Map.Entry<String, Source> source : SOURCES.entrySet()) {
            games.put(source.getKey(), new JdipGame(source.getValue()));
        }
        return games;
    }

    private JdipGame(Source source) throws Exception {
        Variant variant = VariantManager.getVariant(source.variant, VariantManager.VERSION_NEWEST);
        world = WorldFactory.getInstance().createWorld(variant);
        world.setRuleOptions(RuleOptions.createFromVariant(variant));
        start = world.getLastTurnState().getPosition();
        toCodes = source.codes;
        toCodes.forEach((code, other) -> fromCodes.put(other, code));
        for (Power power : world.getMap().getPowers()) {
            // Chaos names its powers in order: A-Ank, B-Bel.
            String center = source.variant.equals("Chaos") ? code(start.getOwnedSupplyCenters(power)[0]) : null;
            String name = center == null ? power.getName().toUpperCase(Locale.ROOT) : "C-" + center;
            powers.put(name, power);
            powerNames.put(power, name);
        }
    }

    /** Return the version: jDip has "0 (Preview Release 2)" after the 1.7. */
    static String version() {
        return "1.7." + Utils.getLocalString("VERSION_REVISION").split(" ")[0];
    }

    private Power power(String name) {
        return powers.get(name);
    }

    /** Read a location; null if it is not on the map. */
    private Location location(String text) {
        if (text == null) {
            return null;
        }
        int end = text.indexOf('/') < 0 ? text.length() : text.indexOf('/');
        String code = text.substring(0, end);
        String location = toCodes.getOrDefault(code, code) + text.substring(end);
        return world.getMap().parseLocation(location.toLowerCase(Locale.ROOT));
    }

    private String code(Province province) {
        String code = province.getShortName().toUpperCase(Locale.ROOT);
        return fromCodes.getOrDefault(code, code);
    }

    private static dip.world.Unit.Type type(String letter) {
        return letter == null ? dip.world.Unit.Type.UNDEFINED : dip.world.Unit.Type.parse(letter);
    }

    private String text(Location location) {
        String province = code(location.getProvince());
        boolean named = location.getCoast().isDirectional();
        return named ? province + "/" + location.getCoast().getAbbreviation().toUpperCase(Locale.ROOT) : province;
    }

    private static Location place(Province province, dip.world.Unit unit) {
        return new Location(province, unit.getCoast());
    }

    /** Make the state before a phase. */
    private TurnState stateBefore(Params params, PhaseType phase) throws OrderException {
        SeasonType season = params.season.equals("spring") ? SeasonType.SPRING : SeasonType.FALL;
        world.removeAllTurnStates();
        TurnState state = new TurnState(new Phase(season, params.year, phase));
        world.setVictoryConditions(new VictoryConditions(0, 0, FOR_EVER, state.getPhase()));
        Position position = start.cloneExceptUnits();
        for (Power power : world.getMap().getPowers()) {
            position.setEliminated(power, false);
            for (Province center : position.getOwnedSupplyCenters(power)) {
                position.setSupplyCenterOwner(center, null);
            }
        }
        for (Map.Entry<String, List<String>> owned : params.centers.entrySet()) {
            for (String center : owned.getValue()) {
                position.setSupplyCenterOwner(location(center).getProvince(), power(owned.getKey()));
            }
        }
        for (Unit given : params.units) {
            dip.world.Unit unit = new dip.world.Unit(power(given.power), type(given.type));
            Location at = location(given.location).getValidatedSetup(unit.getType());
            unit.setCoast(at.getCoast());
            position.setUnit(at.getProvince(), unit);
        }
        state.setPosition(position);
        state.setWorld(world);
        world.setTurnState(state);
        return state;
    }

    /** Translate an order; null if it names a place that is not on the map. */
    private Order translate(GivenOrder given) {
        Parts order = given.order;
        if (order == null || order.type.equals("waive")) {
            return null; // jDip wants a place for a waived build.
        }
        Power power = power(given.power);
        Location at = location(order.unit.location);
        Location to = location(order.to);
        dip.world.Unit.Type type = type(order.unit.type);
        if (at == null || (order.to != null && to == null)) {
            return null;
        }
        return switch (order.type) {
            case "hold" -> ORDERS.createHold(power, at, type);
            case "move" -> order.path == null
                    ? ORDERS.createMove(power, at, type, to, order.via_convoy)
                    : ORDERS.createMove(power, at, type, to, route(at, order.path, to));
            case "support" -> {
                Location from = location(order.supported.location);
                Power whose = order.supported.power == null ? null : power(order.supported.power);
                yield ORDERS.createSupport(power, at, type, from, whose, type(order.supported.type), to);
            }
            case "convoy" -> {
                Location from = location(order.convoyed.location);
                Power whose = order.convoyed.power == null ? null : power(order.convoyed.power);
                yield ORDERS.createConvoy(power, at, type, from, whose, type(order.convoyed.type), to);
            }
            case "retreat" -> ORDERS.createRetreat(power, at, type, to);
            case "disband" -> ORDERS.createDisband(power, at, type);
            case "build" -> ORDERS.createBuild(power, at, type);
            case "remove" -> ORDERS.createRemove(power, at, type);
            default -> null;
        };
    }

    private Province[] route(Location from, List<String> path, Location to) {
        List<Province> route = new ArrayList<>(List.of(from.getProvince()));
        path.forEach(sea -> route.add(location(sea).getProvince()));
        route.add(to.getProvince());
        return route.toArray(new Province[0]);
    }

    /**
     * Give orders to jDip as its window does: it validates each, and a later order to a unit replaces an earlier one.
     *
     * @return for each order null if it was given, and otherwise why not
     */
    private List<Result> give(List<Order> orders, TurnState state) {
        Map<Province, Integer> given = new HashMap<>();
        List<Result> refused = new ArrayList<>(Collections.nCopies(orders.size(), null));
        for (int place = 0; place < orders.size(); place++) {
            Order order = orders.get(place);
            if (isValid(order, state)) {
                Integer replaced = given.put(order.getSource().getProvince(), place);
                if (replaced != null) {
                    refused.set(replaced, new Result("fails", "ignored"));
                }
            } else {
                refused.set(place, new Result("fails", "illegal"));
            }
        }
        submit(given.values().stream().sorted().map(orders::get).toList(), state);
        return refused;
    }

    private boolean isValid(Order order, TurnState state) {
        try {
            if (order == null) {
                return false;
            }
            order.validate(state, new ValidationOptions(), world.getRuleOptions());
            return true;
        } catch (OrderWarning warning) {
            return true;
        } catch (OrderException refusal) {
            return false;
        }
    }

    private static void submit(List<Order> orders, TurnState state) {
        for (Order order : orders) {
            List<Object> all = new ArrayList<>(state.getOrders(order.getPower()));
            all.add(order);
            state.setOrders(order.getPower(), all);
        }
    }

    private List<Unit> units(Position position) {
        List<Unit> units = new ArrayList<>();
        for (Province province : position.getUnitProvinces()) {
            units.add(unit(province, position.getUnit(province)));
        }
        return units;
    }

    private Unit unit(Province province, dip.world.Unit unit) {
        return new Unit(
                powerNames.get(unit.getPower()),
                unit.getType().getShortName().toUpperCase(Locale.ROOT),
                text(place(province, unit)));
    }

    /** List the units that were dislodged. jDip takes one without a retreat off the board. */
    private List<Dislodged> dislodged(StdAdjudicator adjudicator) {
        TurnState played = adjudicator.getTurnState();
        List<Dislodged> found = new ArrayList<>();
        for (OrderState state : adjudicator.getOrderStates()) {
            if (state.getDislodgedState() == Tristate.YES) {
                Province province = state.getSourceProvince();
                dip.world.Unit unit = played.getPosition().getUnit(province);
                Unit gone = unit(province, unit);
                RetreatChecker checker = new RetreatChecker(adjudicator.getNextTurnState(), played.getResultList());
                Location[] to = checker.getValidLocations(place(province, unit));
                List<String> retreats = Arrays.stream(to).map(this::text).toList();
                String from = code(state.getDislodger().getSourceProvince());
                found.add(new Dislodged(gone.power, gone.type, gone.location, from, retreats));
            }
        }
        return found;
    }

    /** Say how an order ended. A dislodged unit has a result for that, and may have an earlier one for its order. */
    private static Result result(Order order, TurnState played) {
        for (Object each : played.getResultList()) {
            if (each instanceof OrderResult result && result.getOrder() == order) {
                ResultType type = result.getResultType();
                if (type == ResultType.SUCCESS) {
                    return new Result("succeeds", null);
                }
                if (type == ResultType.DISLODGED) {
                    return new Result("fails", "dislodged");
                }
                if (type == ResultType.FAILURE) {
                    return new Result("fails", result instanceof BouncedResult ? "bounced" : reason(result));
                }
            }
        }
        return null;
    }

    /** Return the reason that a text gives; null if the protocol has no word for it. */
    private static String reason(OrderResult result) {
        String message = result.getMessage();
        for (Map.Entry<String, String> each : REASONS.entrySet()) {
            if (message.equals(Utils.getLocalString(each.getKey()))) {
                return each.getValue();
            }
        }
        String cut = Utils.getLocalString("SUPPORT_EVAL_CUT");
        return message.startsWith(cut.substring(0, cut.indexOf('{'))) ? "cut" : null;
    }

    private Answer answer(StdAdjudicator adjudicator) {
        return new Answer(units(adjudicator.getNextTurnState().getPosition()), null, null);
    }

    /** Play a movement phase. */
    Answer playMovement(Params params) throws OrderException {
        TurnState state = stateBefore(params, PhaseType.MOVEMENT);
        List<Order> orders = params.orders.stream().map(this::translate).toList();
        List<Result> refused = give(orders, state);
        StdAdjudicator adjudicator = new StdAdjudicator(ORDERS, state);
        adjudicator.process();
        List<Result> results = new ArrayList<>();
        for (int place = 0; place < orders.size(); place++) {
            boolean unread = params.orders.get(place).order == null;
            Result early = unread ? null : refused.get(place);
            results.add(unread || early != null ? early : result(orders.get(place), state));
        }
        return new Answer(units(adjudicator.getNextTurnState().getPosition()), dislodged(adjudicator), results);
    }

    /** Play a retreat phase, after the movement phase that it follows. */
    Answer playRetreat(Params params, Params before) throws OrderException {
        TurnState moved = stateBefore(before, PhaseType.MOVEMENT);
        give(before.orders.stream().map(this::translate).toList(), moved);
        StdAdjudicator movement = new StdAdjudicator(ORDERS, moved);
        movement.process();
        TurnState state = movement.getNextTurnState();
        if (state.getPhase().getPhaseType() != PhaseType.RETREAT) {
            return answer(movement); // No unit can retreat: jDip skips the phase.
        }
        world.setTurnState(state);
        give(params.orders.stream().map(this::translate).toList(), state);
        StdAdjudicator adjudicator = new StdAdjudicator(ORDERS, state);
        adjudicator.process();
        return answer(adjudicator);
    }

    /** Play an adjustment phase. Its adjudicator takes all orders, and validates them itself. */
    Answer playAdjustment(Params params) throws OrderException {
        TurnState state = stateBefore(params, PhaseType.ADJUSTMENT);
        submit(params.orders.stream().map(this::translate).filter(Objects::nonNull).toList(), state);
        StdAdjudicator adjudicator = new StdAdjudicator(ORDERS, state);
        adjudicator.process();
        return answer(adjudicator);
    }
}
