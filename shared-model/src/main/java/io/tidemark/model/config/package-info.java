/**
 * Configuration and data directories of a node: typed reading of properties files, all problems at once, and the
 * identity written into a directory when it is formatted.
 */
package io.tidemark.model.config;
