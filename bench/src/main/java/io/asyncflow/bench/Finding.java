package io.asyncflow.bench;

/**
 * A line of the last table.
 *
 * @param what as {@code whole life: flowsvr against raw JDBC}
 * @param value a ratio or a time, with its unit
 */
record Finding(String what, String value) {}
