package io.asyncflow.api.codec;

import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.Job;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.StoreContent;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.StoredText;
import io.asyncflow.api.Task;
import io.asyncflow.api.codec.Field.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Function;

/** The context store as an application reads it: opened. */
final class SealingStoreClient implements StoreClient {

  private static final String RESULT = "_result";
  private static final String CHILD = "_child-";

  private final StoreClient store;
  private final Function<String, Task> tasks;
  private final Function<String, Job> jobs;
  private final Sealing sealing;

  /**
   * @param tasks reads the task with an id, as the server shows it
   * @param jobs the same for a job
   */
  SealingStoreClient(
      StoreClient store,
      Function<String, Task> tasks,
      Function<String, Job> jobs,
      Sealing sealing) {
    this.store = store;
    this.tasks = tasks;
    this.jobs = jobs;
    this.sealing = sealing;
  }

  @Override
  public void put(StoreKey key, String workerId, StoreContent content) {
    store.put(key, workerId, content);
  }

  @Override
  public InputStream open(StoreKey key) {
    try {
      return sealing.opening(key, store.open(key));
    } catch (IOException e) {
      throw new FlowUnreachableException("reading " + key + " broke off: " + e, e);
    }
  }

  /**
   * A text that was sealed before it was stored belongs to the task that its key names, or to a
   * child of its job.
   */
  @Override
  public String textOf(String text) {
    String whole = store.textOf(text);
    if (whole == null || whole.equals(text)) {
      return text;
    }
    StoreKey key = StoredText.parse(text).orElseThrow().key();
    return sealing.open(fieldOf(key.name(), tasks.apply(key.taskId())), whole);
  }

  private Field fieldOf(String name, Task task) {
    if (name.startsWith(CHILD)) {
      // The split of a job stores the contexts of the children, which may be of another type.
      return Field.of(Kind.CONTEXT, jobs.apply(task.jobId()).childType(), task.userId());
    }
    return Field.of(name.equals(RESULT) ? Kind.RESULT : Kind.CONTEXT, task);
  }
}
