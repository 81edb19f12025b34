/**
 * Embedded databases and Redis: native servers on loopback, unpacked once per user, each with its
 * own directory.
 *
 * <p>Other users of the machine can reach their ports, so each server has a random password, in the
 * file {@code secrets} of its directory, and only the owner can read that directory.
 */
package io.asyncflow.dev.embedded;
