/**
 * Access keys: their text, their row, and the seal that proves that a row was written by a server
 * or by {@code ./asyncflow key create --direct}. Both must write the same, so it is here. Pure
 * functions, but for the random numbers of a new key.
 */
package io.asyncflow.rules.access;
