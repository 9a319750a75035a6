package io.tidemark.model.health;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics of a process as MBeans under Kafka's names. Which there are is looked at every few seconds; a value that is
 * asked for is at most {@link #FRESH_MS} old. Where two nodes of one role live in one process, the first has the names.
 */
final class MetricBeans implements AutoCloseable {
    /** Many attributes are read one after the other: they are gathered once for all of them. */
    private static final long FRESH_MS = 500;

    private static final Logger LOG = LoggerFactory.getLogger(MetricBeans.class);

    private record Bean(ObjectName objectName, MetricBean bean) {}

    private final MBeanServer server;
    private final Metrics metrics;
    private final boolean partitions;
    private final Map<MetricName, Bean> beans = new HashMap<>();
    private Map<MetricName, Metric> values = Map.of();
    private long readAtNs;
    private boolean closed;

    /** @param partitions whether the metrics of single partitions are among them */
    MetricBeans(MBeanServer server, Metrics metrics, boolean partitions) {
        this.server = server;
        this.metrics = metrics;
        this.partitions = partitions;
    }

    /** Looks at what metrics there are; to be called every {@link MeterRates#TICK_S} seconds. */
    synchronized void tick() {
        if (closed) {
            return;
        }
        read();
        for (Metric metric : values.values()) {
            Bean known = beans.get(metric.name());
            if (known == null) {
                register(metric);
            } else {
                known.bean.tick(metric);
            }
        }
        Set<MetricName> gone = new HashSet<>(beans.keySet());
        gone.removeAll(values.keySet());
        gone.forEach(this::unregister);
    }

    /** Those that are registered. */
    synchronized Set<MetricName> names() {
        return Set.copyOf(beans.keySet());
    }

    private void read() {
        List<Metric> read = metrics.read();
        Map<MetricName, Metric> byName = new HashMap<>(read.size() * 2);
        for (Metric metric : read) {
            if (partitions || !metric.name().tags().containsKey("partition")) {
                byName.put(metric.name(), metric);
            }
        }
        values = byName;
        readAtNs = System.nanoTime();
    }

    private void register(Metric metric) {
        MetricBean bean = new MetricBean(metric, () -> current(metric));
        ObjectName name = metric.name().objectName();
        try {
            server.registerMBean(bean, name);
            beans.put(metric.name(), new Bean(name, bean));
        } catch (InstanceAlreadyExistsException e) {
            LOG.debug("{} is another node's", name);
        } catch (JMException e) {
            LOG.warn("{} cannot be registered", name, e);
        }
    }

    private void unregister(MetricName name) {
        Bean bean = beans.remove(name);
        try {
            server.unregisterMBean(bean.objectName);
        } catch (InstanceNotFoundException e) {
            LOG.debug("{} is gone already", bean.objectName);
        } catch (JMException e) {
            LOG.warn("{} cannot be taken away", bean.objectName, e);
        }
    }

    private synchronized Metric current(Metric first) {
        if (!closed && System.nanoTime() - readAtNs > TimeUnit.MILLISECONDS.toNanos(FRESH_MS)) {
            read();
        }
        return values.getOrDefault(first.name(), first);
    }

    @Override
    public synchronized void close() {
        closed = true;
        Set.copyOf(beans.keySet()).forEach(this::unregister);
    }
}
