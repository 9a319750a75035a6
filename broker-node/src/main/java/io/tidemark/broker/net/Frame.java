package io.tidemark.broker.net;

/**
 * The bytes a parsed message was read from. Record fields of the message are slices of them; everything else in it was
 * copied. The bytes are valid while the handler of the message runs; who needs the records for longer retains the frame
 * before that and releases it once per retain, on any thread. A retained frame keeps its whole read buffer (up to
 * {@link #heldBytes}) from being used again.
 */
public interface Frame {
    /** Keeps the bytes valid until one more {@link #releaseFrame}. Throws IllegalStateException if they are gone. */
    void retainFrame();

    /** Gives up one {@link #retainFrame}. Throws IllegalStateException if there was none. */
    void releaseFrame();

    /** Memory that retaining this frame keeps in use, in bytes, for limits. */
    int heldBytes();
}
