package io.asyncflow.api.codec;

import io.asyncflow.api.Call;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.Transport;
import io.asyncflow.api.codec.Field.Kind;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Seals the tasks, jobs and schedules that calls send, before they are JSON, and opens those that
 * they are answered. What runs send and get stays as it is. Calls that do not wait are sealed on
 * the thread of the caller, and opened on that of the answer.
 */
record SealingTransport(Transport transport, Sealing sealing) implements Transport {

  @Override
  public <T> T send(Call<T> call) {
    return opened(call, transport.send(sealed(call)));
  }

  /** A text that cannot be sealed fails the future, as all else that can happen to a call. */
  @Override
  public <T> CompletableFuture<T> sendAsync(Call<T> call) {
    Call<T> sent;
    try {
      sent = sealed(call);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    return transport.sendAsync(sent).thenApply(answer -> opened(call, answer));
  }

  private <T> Call<T> sealed(Call<T> call) {
    Map<String, Object> fields = new LinkedHashMap<>(call.fields());
    fields.replaceAll((name, value) -> sealing.sealed(value));
    return call.withFields(fields);
  }

  /** An answer is opened to one of the same type. */
  @SuppressWarnings("unchecked")
  private <T> T opened(Call<T> call, T answer) {
    if (answer instanceof JobTaskPage page) {
      return (T) opened(page, call);
    }
    return answer instanceof Reader input ? (T) opened(input, call) : sealing.opened(answer);
  }

  private JobTaskPage opened(JobTaskPage page, Call<?> call) {
    if (page.taskList().stream().allMatch(child -> child.result() == null)) {
      return page;
    }
    Job job = jobOf(call);
    Field result = Field.of(Kind.RESULT, job.childType(), job.userId());
    List<JobTask> opened =
        Sealing.allOpened(
            page.taskList(), child -> child.withResult(sealing.open(result, child.result())));
    return new JobTaskPage(opened, page.nextCursor());
  }

  private Reader opened(Reader input, Call<?> call) {
    try {
      try {
        Job job = jobOf(call);
        return sealing.opening(Field.of(Kind.INPUT, job.jobType(), job.userId()), input);
      } catch (RuntimeException e) {
        try (input) {
          throw e;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The job that a call names. */
  private Job jobOf(Call<?> call) {
    return new JobClient(transport).getJob((String) call.fields().get("jobId"));
  }
}
