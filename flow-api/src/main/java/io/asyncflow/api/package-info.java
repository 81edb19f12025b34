/**
 * The wire contract of flowsvr as Java: records for requests and answers, the error codes, and a
 * typed HTTP client.
 *
 * <p>The package depends on no framework and has no rules; see {@code io.asyncflow.rules}. All
 * records are immutable and thread-safe. A component that a JSON body may omit is {@code null} if
 * it was omitted. Times are epoch milliseconds; durations have their unit in their name.
 */
package io.asyncflow.api;
