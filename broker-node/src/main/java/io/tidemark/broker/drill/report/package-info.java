/** Shows what became of a drill: as text, as JSON, and as one HTML page that needs nothing else. */
package io.tidemark.broker.drill.report;
