package io.asyncflow.flowsvr.claim;

/**
 * Who holds tasks by one hold.
 *
 * @param workerId empty for an old client
 * @param traceId made for this hold, 32 hexadecimal digits
 */
record Holder(String workerId, String traceId) {}
