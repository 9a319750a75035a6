package io.tidemark.broker.scenario;

/** A scenario asks for something that there is not, or for a step that is impossible. */
final class ScenarioException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ScenarioException(String message) {
        super(message);
    }

    private ScenarioException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Says where in a file it happened, whatever it is. */
    static ScenarioException at(String where, Throwable cause) {
        return new ScenarioException(where + ": " + cause.getMessage(), cause);
    }
}
