/**
 * The wire contract of flowsvr as Java: records for what travels, the codes of what can go wrong,
 * and a typed HTTP client.
 *
 * <p>Nothing here depends on Spring, and nothing here decides: the rules live in the server. All
 * records are immutable and thread-safe. A component that a JSON body may leave out is {@code null}
 * here when it was left out. Times are epoch milliseconds, durations say their unit in their name.
 */
package io.asyncflow.api;
