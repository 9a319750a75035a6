/** What a drill is: one YAML file that says what runs, what breaks when, and what must hold. No I/O. */
package io.tidemark.broker.drill.plan;
