package io.tidemark.broker.sim;

import io.tidemark.model.MonoTime;
import java.util.PriorityQueue;

/** What happens next, on virtual time in microseconds; things of one moment happen in the order they were asked for. */
final class EventQueue {
    private record Event(long at, long number, Runnable task) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long now;
    private long asked;
    private long happened;

    /** Microseconds since the start. */
    long now() {
        return now;
    }

    MonoTime mono() {
        return new MonoTime(now / 1000);
    }

    long happened() {
        return happened;
    }

    void after(long micros, Runnable task) {
        at(now + micros, task);
    }

    void at(long micros, Runnable task) {
        events.add(new Event(Math.max(now, micros), asked++, task));
    }

    /** The next thing happens, unless it is later than {@code until}: then time moves there and this is false. */
    boolean step(long until) {
        Event next = events.peek();
        if (next == null || next.at > until) {
            now = Math.max(now, until);
            return false;
        }
        events.poll();
        now = next.at;
        happened++;
        next.task.run();
        return true;
    }
}
