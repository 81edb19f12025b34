package io.asyncflow.flowsvr.operate.governance;

import com.fasterxml.jackson.annotation.JsonProperty;
import tools.jackson.databind.JsonNode;

/**
 * The last run of a duty.
 *
 * @param duty {@code job} on the wire, where it had this name first
 * @param node the id of the node that ran it
 * @param lastRun epoch ms
 * @param result the result of the run
 * @param error {@code null} if the run succeeded
 * @param lastEffectiveRun epoch ms of the last run that had an effect; {@code null} if there is
 *     none
 * @param effect the result of that run
 */
record DutyRun(
    @JsonProperty("job") String duty,
    String node,
    long lastRun,
    long costMs,
    JsonNode result,
    String error,
    Long lastEffectiveRun,
    JsonNode effect) {}
