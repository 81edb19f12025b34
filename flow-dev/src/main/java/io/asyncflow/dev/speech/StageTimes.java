package io.asyncflow.dev.speech;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.JobTaskPage;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The durations of a job's stages, from the logs of its tasks; of each task the hold with the
 * accepted result counts.
 *
 * @param parts the duration of each child in ms, in no order
 */
public record StageTimes(long splitMs, long[] parts, long mergeMs) {
  private static final int PAGE = 1_000;
  private static final JsonMapper JSON = new JsonMapper();

  public static StageTimes of(FlowClient flow, String jobId) {
    Job job = flow.jobs().getJob(jobId);
    LongStream.Builder parts = LongStream.builder();
    String cursor = null;
    do {
      JobTaskPage page = flow.jobs().getJobTasks(jobId, PAGE, cursor);
      page.taskList().stream().map(JobTask::costMs).filter(Objects::nonNull).forEach(parts::add);
      cursor = page.nextCursor();
    } while (cursor != null);
    return new StageTimes(
        lastHold(flow, job.splitTaskId()),
        parts.build().toArray(),
        lastHold(flow, job.mergeTaskId()));
  }

  private static long lastHold(FlowClient flow, String taskId) {
    try {
      String log = flow.getTask(taskId).scheduleLog();
      String cost = JSON.readTree(log).path("lastData").path("cost").asString("");
      return Long.parseLong(cost.replace("ms", ""));
    } catch (JacksonException | NumberFormatException e) {
      return 0; // the log was changed meanwhile
    }
  }

  /** The lines to print. */
  public List<String> lines() {
    String synthesize =
        String.format(
            Locale.ROOT,
            "synthesize  %s in %d parts, %s the median",
            seconds(Arrays.stream(parts).sum()),
            parts.length,
            seconds(median()));
    return Stream.of(
            "split       " + seconds(splitMs), synthesize, "merge       " + seconds(mergeMs))
        .toList();
  }

  private long median() {
    long[] sorted = Arrays.stream(parts).sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
  }

  private static String seconds(long milliseconds) {
    return String.format(Locale.ROOT, "%.2f s", milliseconds / 1000.0);
  }
}
