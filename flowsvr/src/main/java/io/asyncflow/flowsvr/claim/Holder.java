package io.asyncflow.flowsvr.claim;

/**
 * The holder that a hold writes into its rows.
 *
 * @param workerId empty for an old client
 * @param traceId random, different for every hold; 32 hexadecimal digits
 */
record Holder(String workerId, String traceId) {}
