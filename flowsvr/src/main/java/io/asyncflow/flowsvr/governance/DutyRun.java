package io.asyncflow.flowsvr.governance;

import tools.jackson.databind.JsonNode;

/**
 * The last run of a duty.
 *
 * @param node the id of the node that ran it
 * @param lastRun epoch ms
 * @param result what it did
 * @param error {@code null} if it went well
 * @param lastEffectiveRun epoch ms of the last run that had an effect; {@code null} if none ever
 *     had
 * @param effect what that one did
 */
record DutyRun(
    String job,
    String node,
    long lastRun,
    long costMs,
    JsonNode result,
    String error,
    Long lastEffectiveRun,
    JsonNode effect) {}
