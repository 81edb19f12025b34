package io.asyncflow.flowsvr.governance;

import tools.jackson.databind.JsonNode;

/**
 * The last run of a governance job.
 *
 * @param node the id of the node that ran it
 * @param lastRun epoch ms
 * @param result what it did
 * @param error {@code null} if it went well
 * @param lastDeed epoch ms of the last run that did something; {@code null} if none ever did
 * @param deed what that one did
 */
record JobRun(
    String job,
    String node,
    long lastRun,
    long costMs,
    JsonNode result,
    String error,
    Long lastDeed,
    JsonNode deed) {}
