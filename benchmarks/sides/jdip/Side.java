import com.google.gson.Gson;
import dip.order.Order;
import dip.order.OrderFactory;
import dip.process.StdAdjudicator;
import dip.world.Location;
import dip.world.Phase;
import dip.world.Phase.PhaseType;
import dip.world.Phase.SeasonType;
import dip.world.Position;
import dip.world.Power;
import dip.world.RuleOptions;
import dip.world.TurnState;
import dip.world.Unit;
import dip.world.VictoryConditions;
import dip.world.World;
import dip.world.WorldFactory;
import dip.world.variant.VariantManager;
import dip.world.variant.data.Variant;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Times jDip; adjudicate.py starts it.
 *
 * <p>It reads positions as one line of JSON, then answers each further line, the index of a workload, with the seconds
 * of processor time from orders as read, or with the argument `text` from units and orders as texts, to the next phase:
 * those of its thread, without what Java's compiler and collector take. The first argument is the folder of variants.
 */
final class Side {
    private static final OrderFactory ORDERS = OrderFactory.getDefault();
    private static final int FOR_EVER = 1_000_000;

    private final World world;
    private final Position start;

    private Side(File variants) throws Exception {
        VariantManager.init(new File[] {variants}, false);
        Variant standard = VariantManager.getVariant("Standard", VariantManager.VERSION_NEWEST);
        world = WorldFactory.getInstance().createWorld(standard);
        world.setRuleOptions(RuleOptions.createFromVariant(standard));
        start = world.getLastTurnState().getPosition();
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err); // What jDip prints is no answer.
        Side side = new Side(new File(arguments[0]));
        boolean fromText = arguments.length > 1;
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        String[][][][][] loads = new Gson().fromJson(lines.readLine(), String[][][][][].class);
        answers.println("ready");
        answers.flush();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            answers.println(side.adjudicated(loads[Integer.parseInt(line)], fromText) / 1e9);
            answers.flush();
        }
    }

    /** Time, in nanoseconds, what it takes to check and decide the orders of positions. A state is played only once. */
    private long adjudicated(String[][][][] load, boolean fromText) throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long began = threads.getCurrentThreadCpuTime();
        List<StdAdjudicator> adjudicators = new ArrayList<>();
        for (String[][][] each : load) {
            adjudicators.add(new StdAdjudicator(ORDERS, state(each[0], each[1])));
        }
        long read = threads.getCurrentThreadCpuTime();
        for (StdAdjudicator each : adjudicators) {
            each.process();
        }
        return threads.getCurrentThreadCpuTime() - (fromText ? began : read);
    }

    /** Set up units, each as its power, type and location, with orders, each as its power and its text. */
    private TurnState state(String[][] units, String[][] given) throws Exception {
        TurnState state = new TurnState(new Phase(SeasonType.SPRING, 1901, PhaseType.MOVEMENT));
        world.setVictoryConditions(new VictoryConditions(0, 0, FOR_EVER, state.getPhase()));
        Position position = start.cloneExceptUnits();
        for (String[] each : units) {
            Unit unit = new Unit(power(each[0]), type(each[1]));
            Location at = location(each[2]).getValidatedSetup(unit.getType());
            unit.setCoast(at.getCoast());
            position.setUnit(at.getProvince(), unit);
        }
        state.setPosition(position);
        state.setWorld(world);
        for (Power power : world.getMap().getPowers()) {
            List<Order> orders = new ArrayList<>();
            for (String[] each : given) {
                if (power(each[0]) == power) {
                    orders.add(order(power, each[1].split(" ")));
                }
            }
            state.setOrders(power, orders);
        }
        return state;
    }

    /** Make an order of words such as F NTH C A LON - NWY. */
    private Order order(Power power, String[] words) {
        Unit.Type type = type(words[0]);
        Location at = location(words[1]);
        Location last = location(words[words.length - 1]);
        return switch (words[2]) {
            case "-" -> ORDERS.createMove(power, at, type, last, false);
            case "C" -> ORDERS.createConvoy(power, at, type, location(words[4]), null, type(words[3]), last);
            case "S" -> {
                Location to = words.length > 5 ? last : null;
                yield ORDERS.createSupport(power, at, type, location(words[4]), null, type(words[3]), to);
            }
            default -> ORDERS.createHold(power, at, type);
        };
    }

    private Power power(String name) {
        return world.getMap().getPower(name);
    }

    private Location location(String text) {
        return world.getMap().parseLocation(text.toLowerCase(Locale.ROOT));
    }

    private static Unit.Type type(String letter) {
        return Unit.Type.parse(letter);
    }
}
