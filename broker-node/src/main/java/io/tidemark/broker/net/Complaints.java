package io.tidemark.broker.net;

import com.google.common.util.concurrent.RateLimiter;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Log lines about what peers do wrong: at most one a second, with the number of those left out. Any thread. */
public final class Complaints {
    private static final Logger LOG = LoggerFactory.getLogger(Complaints.class);

    private final RateLimiter limiter = RateLimiter.create(1);
    private final AtomicLong dropped = new AtomicLong();

    public void log(String line) {
        if (!limiter.tryAcquire()) {
            dropped.incrementAndGet();
            return;
        }
        long left = dropped.getAndSet(0);
        LOG.warn("{}{}", line, left == 0 ? "" : " (" + left + " more such lines left out)");
    }
}
