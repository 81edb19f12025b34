package io.asyncflow.api.codec;

import io.asyncflow.api.FlowUnreachableException;
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

  private final StoreClient store;
  private final Function<String, Task> tasks;
  private final Sealing sealing;

  /**
   * @param tasks reads the task with an id, as the server shows it
   */
  SealingStoreClient(StoreClient store, Function<String, Task> tasks, Sealing sealing) {
    this.store = store;
    this.tasks = tasks;
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

  /** A text that was sealed before it was stored belongs to the task that its key names. */
  @Override
  public String textOf(String text) {
    String whole = store.textOf(text);
    if (whole == null || whole.equals(text)) {
      return text;
    }
    StoreKey key = StoredText.parse(text).orElseThrow().key();
    Kind kind = key.name().equals(RESULT) ? Kind.RESULT : Kind.CONTEXT;
    return sealing.open(Field.of(kind, tasks.apply(key.taskId())), whole);
  }
}
