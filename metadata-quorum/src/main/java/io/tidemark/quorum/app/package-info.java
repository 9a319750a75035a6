/** The controller as a process. */
package io.tidemark.quorum.app;
