/** Failover drills: real clients, a real kill, a ledger of what was acknowledged, and a verdict. */
package io.tidemark.broker.drill;
