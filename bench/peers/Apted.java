import at.unisalzburg.dbresearch.apted.costmodel.StringUnitCostModel;
import at.unisalzburg.dbresearch.apted.distance.APTED;
import at.unisalzburg.dbresearch.apted.node.Node;
import at.unisalzburg.dbresearch.apted.node.StringNodeData;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks APTED's own implementation how far two trees are from one another: `Apted BEFORE AFTER RUNS` prints the distance, the
 * CPU seconds to find it, and the CPU seconds with the mapping, the best of so many runs or of ten seconds. A tree is a
 * line for each node in document order: the number of its parent, counted from 0, and its label.
 */
public class Apted {
    private static final long ENOUGH_NANOS = 10_000_000_000L;

    public static void main(String[] arguments) throws InterruptedException {
        // It goes down trees by recursion.
        Thread thread = new Thread(null, () -> measure(arguments), "apted", 1L << 32);
        thread.start();
        thread.join();
    }

    private static void measure(String[] arguments) {
        try {
            long distanceNanos = Long.MAX_VALUE, mappingNanos = Long.MAX_VALUE, spent = 0;
            float distance = 0;
            for (int run = Integer.parseInt(arguments[2]); run > 0 && spent < ENOUGH_NANOS; run--) {
                Node<StringNodeData> before = read(arguments[0]), after = read(arguments[1]);
                APTED<StringUnitCostModel, StringNodeData> apted = new APTED<>(new StringUnitCostModel());
                long start = now();
                distance = apted.computeEditDistance(before, after);
                long found = now();
                apted.computeEditMapping();
                distanceNanos = Math.min(distanceNanos, found - start);
                mappingNanos = Math.min(mappingNanos, now() - start);
                spent += now() - start;
            }
            System.out.println((long) distance + " " + distanceNanos / 1e9 + " " + mappingNanos / 1e9);
        } catch (Throwable error) {
            System.err.println(error);
            System.exit(2);
        }
    }

    private static long now() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static Node<StringNodeData> read(String path) throws IOException {
        List<Node<StringNodeData>> nodes = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(path))) {
            String[] cells = line.split(" ");
            Node<StringNodeData> node = new Node<>(new StringNodeData(cells[1]));
            if (!nodes.isEmpty()) {
                nodes.get(Integer.parseInt(cells[0])).addChild(node);
            }
            nodes.add(node);
        }
        return nodes.get(0);
    }
}
