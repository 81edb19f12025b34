package io.asyncflow.api.schedule;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A fire of a schedule.
 *
 * @param fireTime epoch milliseconds, as are the other times
 * @param outcome what became of it
 * @param manual whether a trigger or a backfill made it, beside the plan
 * @param makeTime when it was made; up to 30 seconds before {@code fireTime}
 * @param taskId the task that it created; {@code null} if it created none
 * @param jobId the job that it created; {@code null} if it created none
 * @param status the code of the {@link io.asyncflow.api.TaskStatus} in which its task or job ended;
 *     {@code null} until then
 * @param endTime when its task or job ended; {@code null} until then
 * @param costMs milliseconds to {@code endTime} from {@code fireTime}, or from {@code makeTime} if
 *     that was later; {@code null} until then
 * @param node the server that made it
 * @param epoch the number of changes of the slice's owner when it was made
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ScheduleFire(
    long fireTime,
    FireOutcome outcome,
    boolean manual,
    long makeTime,
    String taskId,
    String jobId,
    Integer status,
    Long endTime,
    Long costMs,
    String node,
    long epoch) {}
