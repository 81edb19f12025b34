package io.asyncflow.flowsvr.due;

/** What makes a hold the same as an earlier delivery of it. */
public record HoldKey(String workerId, String holdId) {}
