/** What became of a drill, worked out from what was promised, read, and logged. No I/O, clock or thread. */
package io.tidemark.broker.drill.judge;
