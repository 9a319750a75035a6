package io.tidemark.quorum.inspect;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** One run of the tool, as the script starts it. */
record Tool(int status, String out, String err) {
    static Tool run(Object... arguments) {
        return run(new ByteArrayOutputStream(), arguments);
    }

    /** @param out takes what the tool writes, to be looked at while it runs */
    static Tool run(ByteArrayOutputStream out, Object... arguments) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        String[] words = new String[arguments.length];
        for (int i = 0; i < words.length; i++) {
            words[i] = arguments[i].toString();
        }
        int status = MetadataLogMain.run(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                false,
                false,
                words);
        return new Tool(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    List<String> lines() {
        return out.lines().toList();
    }
}
