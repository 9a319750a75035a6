package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.Json;
import io.tidemark.quorum.files.Finding;
import java.io.PrintStream;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Where a command of the tool writes: what was asked for to one stream, findings and progress to the other (findings to
 * the first as well, as JSON lines, where that is for programs).
 */
final class Output {
    private static final long PROGRESS_MS = 500;

    private final PrintStream out;
    private final PrintStream err;
    private final boolean json;
    private final boolean progress;
    private final Style style;
    private final Style errStyle;
    private final Moments moments = new Moments(ZoneId.systemDefault());
    private final Set<Finding> findings = new LinkedHashSet<>();
    private long nextProgressMs;
    private boolean progressShown;
    private boolean damaged;

    /** @param outTerminal whether a person sees {@code out}; {@code errTerminal} likewise */
    Output(PrintStream out, PrintStream err, boolean json, boolean outTerminal, boolean errTerminal) {
        this.out = out;
        this.err = err;
        this.json = json;
        this.progress = errTerminal;
        this.style = new Style(outTerminal && !json);
        this.errStyle = new Style(errTerminal);
        this.nextProgressMs = System.currentTimeMillis() + 2 * PROGRESS_MS;
    }

    boolean json() {
        return json;
    }

    Style style() {
        return style;
    }

    Moments moments() {
        return moments;
    }

    /** False if nobody reads any more. */
    boolean line(String text) {
        if (progressShown) {
            clearProgress();
        }
        out.println(text);
        return !out.checkError();
    }

    /** As {@link #line}, without asking whether somebody reads: for output of many lines, which is buffered. */
    void quick(String text) {
        if (progressShown) {
            clearProgress();
        }
        out.println(text);
    }

    void flush() {
        out.flush();
    }

    /** Something to know that is not part of the answer. */
    void remark(String text) {
        clearProgress();
        err.println(text);
    }

    /** From any thread; each is told once. */
    synchronized void finding(Finding finding) {
        if (!findings.add(finding)) {
            return;
        }
        damaged |= finding.isDamage();
        clearProgress();
        err.println((finding.isDamage() ? errStyle.bad("damage") : "note") + ": " + finding);
        if (json) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("finding", finding.severity().name());
            row.put("file", finding.file() == null ? null : finding.file().toString());
            row.put("position", finding.position());
            row.put("what", finding.what());
            out.println(Json.of(row));
        }
    }

    /** Whether any finding so far was damage. */
    synchronized boolean damaged() {
        return damaged;
    }

    synchronized Set<Finding> findings() {
        return Set.copyOf(findings);
    }

    /** The exit status of a command that did what it was asked. */
    int status() {
        flush();
        clearProgress();
        return damaged() ? 1 : 0;
    }

    /** Called for every entry read: now and then tells how far it is. */
    void progress(long index) {
        if (progress && (index & 0x3ff) == 0 && System.currentTimeMillis() >= nextProgressMs) {
            nextProgressMs = System.currentTimeMillis() + PROGRESS_MS;
            err.print("\rreading, at index " + index + " ");
            err.flush();
            progressShown = true;
        }
    }

    private void clearProgress() {
        if (progressShown) {
            err.print("\r" + " ".repeat(40) + "\r");
            progressShown = false;
        }
    }
}
