/** Tools that look at a quorum from outside. */
package io.tidemark.quorum.inspect;
