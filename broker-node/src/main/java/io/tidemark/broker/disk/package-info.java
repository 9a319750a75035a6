/** The real disk: files through FileChannel, the derived index in RocksDB, and the evidence of the running boot. */
package io.tidemark.broker.disk;
