package io.asyncflow.bench.system;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;

/**
 * A job of JobRunr that does nothing; JobRunr writes it as JSON and makes its handler by itself, so
 * both must be public.
 *
 * @param store whose job it is
 * @param number of the task
 * @param context what it carries
 */
public record NoOpJob(String store, int number, String context) implements JobRequest {

  /** Who wants to know of starts, by store. */
  private static final Map<String, IntConsumer> STARTED = new ConcurrentHashMap<>();

  static void tellStartsOf(String store, IntConsumer started) {
    STARTED.put(store, started);
  }

  @Override
  public Class<Handler> getJobRequestHandler() {
    return Handler.class;
  }

  /** Tells that the job was started. */
  public static final class Handler implements JobRequestHandler<NoOpJob> {
    @Override
    public void run(NoOpJob job) {
      STARTED.get(job.store()).accept(job.number());
    }
  }
}
