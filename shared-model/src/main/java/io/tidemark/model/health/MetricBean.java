package io.tidemark.model.health;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;

/** One metric for JMX, with the attributes that Kafka's have: {@code Value}, or those of a meter. */
final class MetricBean implements DynamicMBean {
    private static final MBeanInfo GAUGE = info(attribute("Value", Number.class));
    private static final MBeanInfo METER = info(
            attribute("Count", Long.class),
            attribute("MeanRate", Double.class),
            attribute("OneMinuteRate", Double.class),
            attribute("FiveMinuteRate", Double.class),
            attribute("FifteenMinuteRate", Double.class),
            attribute("RateUnit", TimeUnit.class));

    private final Supplier<Metric> current;
    /** Null for a gauge. */
    private final MeterRates rates;

    /** @param current the metric's value now, or as it was last known if it is gone */
    MetricBean(Metric first, Supplier<Metric> current) {
        this.current = current;
        this.rates = first.counts() ? new MeterRates(first.value().longValue()) : null;
    }

    void tick(Metric metric) {
        if (rates != null) {
            rates.tick(metric.value().longValue());
        }
    }

    @Override
    public Object getAttribute(String attribute) throws AttributeNotFoundException {
        if (rates == null && attribute.equals("Value")) {
            return current.get().value();
        } else if (rates == null) {
            throw new AttributeNotFoundException(attribute);
        }
        return switch (attribute) {
            case "Count" -> current.get().value();
            case "MeanRate" -> rates.mean();
            case "OneMinuteRate" -> rates.oneMinute();
            case "FiveMinuteRate" -> rates.fiveMinutes();
            case "FifteenMinuteRate" -> rates.fifteenMinutes();
            case "RateUnit" -> TimeUnit.SECONDS;
            default -> throw new AttributeNotFoundException(attribute);
        };
    }

    @Override
    public AttributeList getAttributes(String[] attributes) {
        AttributeList list = new AttributeList();
        for (String attribute : attributes) {
            try {
                list.add(new Attribute(attribute, getAttribute(attribute)));
            } catch (AttributeNotFoundException e) {
                // Left out, as the interface wants it.
                continue;
            }
        }
        return list;
    }

    @Override
    public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
        throw new AttributeNotFoundException("metrics are read-only");
    }

    @Override
    public AttributeList setAttributes(AttributeList attributes) {
        return new AttributeList();
    }

    @Override
    public Object invoke(String action, Object[] parameters, String[] signature) {
        throw new UnsupportedOperationException(action);
    }

    @Override
    public MBeanInfo getMBeanInfo() {
        return rates == null ? GAUGE : METER;
    }

    private static MBeanAttributeInfo attribute(String name, Class<?> type) {
        return new MBeanAttributeInfo(name, type.getName(), name, true, false, false);
    }

    private static MBeanInfo info(MBeanAttributeInfo... attributes) {
        return new MBeanInfo(MetricBean.class.getName(), "metric", attributes, null, null, null);
    }
}
