package io.asyncflow.flowsvr.queue.due;

/** The key that all deliveries of a hold share. */
public record HoldKey(String workerId, String holdId) {}
