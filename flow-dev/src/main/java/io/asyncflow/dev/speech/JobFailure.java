package io.asyncflow.dev.speech;

import io.asyncflow.api.Job;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.OneLine;
import io.asyncflow.api.TaskStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Describes to the user why a job has failed. */
final class JobFailure {
  private static final int PAGE = 1_000;
  private static final int SHOWN = 10;

  // Workers report a failure as Java prints it, with its class first and a stack trace after it.
  private static final Pattern EXCEPTION_NAME = Pattern.compile("^([\\w$]+\\.)+[\\w$]+: ");

  private JobFailure() {}

  /** A sentence; if children failed, followed by a line for each of the first ones. */
  static String of(JobClient jobs, Job job) {
    if (job.state() == JobState.CANCELLED) {
      return "somebody cancelled it.";
    }
    if (job.failed() == 0) {
      return reason(job.errMsg());
    }
    List<String> parts = failedParts(jobs, job.jobId());
    StringBuilder text = new StringBuilder();
    text.append(job.failed()).append(" of ").append(job.total()).append(" parts failed.");
    parts.stream().limit(SHOWN).forEach(part -> text.append("\n  ").append(part));
    int more = Math.max(parts.size(), job.failed()) - SHOWN;
    return more > 0 ? text.append("\n  and ").append(more).append(" more").toString() : "" + text;
  }

  private static List<String> failedParts(JobClient jobs, String jobId) {
    List<String> failed = new ArrayList<>();
    String cursor = null;
    do {
      JobTaskPage page = jobs.getJobTasks(jobId, PAGE, cursor);
      page.taskList().stream()
          .filter(JobFailure::hasFailed)
          .map(part -> "part " + (part.index() + 1) + ": " + reason(part.errMsg()))
          .forEach(failed::add);
      cursor = page.nextCursor();
    } while (cursor != null && failed.size() < SHOWN);
    return failed;
  }

  private static boolean hasFailed(JobTask part) {
    return Integer.valueOf(TaskStatus.FAILED.code()).equals(part.status());
  }

  private static String reason(String errMsg) {
    String line = errMsg == null ? "" : errMsg.lines().findFirst().orElse("");
    String words = EXCEPTION_NAME.matcher(line).replaceFirst("");
    return words.isBlank() ? "flowsvr does not say why." : OneLine.of(words);
  }
}
