package io.tidemark.quorum.inspect;

/** Emphasis for a terminal, or none. */
record Style(boolean terminal) {
    private String with(String code, String text) {
        return terminal && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }

    String bold(String text) {
        return with("1", text);
    }

    String dim(String text) {
        return with("2", text);
    }

    String bad(String text) {
        return with("31", text);
    }

    String good(String text) {
        return with("32", text);
    }
}
