package io.tidemark.broker.replica;

import java.util.ArrayList;
import java.util.List;

/** The effects of one step, in order. */
public final class Effects {
    private final List<Effect> list = new ArrayList<>(4);

    void add(Effect effect) {
        list.add(effect);
    }

    void say(String format, Object... arguments) {
        list.add(new Effect.Say(String.format(format, arguments)));
    }

    public List<Effect> list() {
        return list;
    }
}
