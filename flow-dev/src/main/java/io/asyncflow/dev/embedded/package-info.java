/**
 * Databases and Redis of one's own: native servers on loopback, unpacked once per user, each in a
 * directory.
 *
 * <p>Other users of the machine can reach their ports, so each server has a random password, in the
 * file {@code secrets} of its directory, and nobody but the owner can read that directory.
 */
package io.asyncflow.dev.embedded;
