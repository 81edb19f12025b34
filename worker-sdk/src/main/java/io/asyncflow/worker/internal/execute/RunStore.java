package io.asyncflow.worker.internal.execute;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.StoreContent;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.StoredText;
import io.asyncflow.api.codec.Sealing;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.ObjectGoneException;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.internal.report.LargeTexts;
import io.asyncflow.worker.internal.stage.RepeatedCall;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/** The context store as one run uses it. Thread-safe. */
public final class RunStore {

  private final StageContext run;
  private final String workerId;
  private final StoreClient store;
  private final Sealing sealing;

  /**
   * @param workerId the worker that holds the run's task
   */
  public RunStore(StageContext run, String workerId, StoreClient store, Sealing sealing) {
    this.run = run;
    this.workerId = workerId;
    this.store = store;
    this.sealing = sealing;
  }

  /** Stores a file under a name chosen by the handler; returns the reference. */
  public String put(String name, Path file) {
    StoreKey key = keyOf(name);
    try {
      if (sealing.isOff()) {
        return put(key, StoreContent.of(file));
      }
      try (InputStream data = Files.newInputStream(file)) {
        return putCopy(key, data);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The same for a stream, which is copied to a temporary file first. */
  public String put(String name, InputStream data) {
    StoreKey key = keyOf(name);
    try {
      return putCopy(key, data);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Stores a sealed copy: it is sealed once, however often the upload is tried. */
  private String putCopy(StoreKey key, InputStream data) throws IOException {
    Path file = Files.createTempFile("asyncflow-", ".tmp");
    try {
      try (OutputStream copy = sealing.sealing(key, Files.newOutputStream(file))) {
        data.transferTo(copy);
      }
      return put(key, StoreContent.of(file));
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private String put(StoreKey key, StoreContent content) {
    return RepeatedCall.uninterrupted(
        run,
        () -> {
          store.put(key, workerId, content);
          return key.reference();
        });
  }

  /** The key of a handler's object; names that begin with {@code _} are reserved for the SDK. */
  private StoreKey keyOf(String name) {
    if (name.startsWith("_")) {
      throw new IllegalArgumentException("'" + name + "': no name may begin with _");
    }
    return StoreKey.of(run.taskId(), run.stage(), run.leaseEpoch(), name);
  }

  /** Opens the object of a reference. */
  public InputStream open(String reference) {
    StoreKey key =
        StoreKey.ofReference(reference)
            .orElseThrow(
                () ->
                    new NonRetryableException("'" + reference + "' is not a reference of a store"));
    InputStream stored = read(reference, () -> store.open(key));
    try {
      return sealing.opening(key, stored);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The text of a context or a result as it was stored, read if it is a reference. */
  String textOf(String contextOrResult) {
    return read(contextOrResult, () -> store.textOf(contextOrResult));
  }

  private <T> T read(String reference, Supplier<T> call) {
    try {
      return RepeatedCall.uninterrupted(run, call);
    } catch (FlowException e) {
      throw e.errorCode() == ErrorCode.NO_SUCH_OBJECT ? new ObjectGoneException(reference) : e;
    }
  }

  /** The text for a row; a text that is too large is stored and replaced by a reference. */
  String inRow(String name, String text) throws InterruptedException {
    LargeTexts.requireStorable(text);
    StoreKey key = StoreKey.of(run.taskId(), run.stage(), run.leaseEpoch(), name);
    StoreContent content = StoreContent.of(text.getBytes(StandardCharsets.UTF_8));
    return RepeatedCall.of(
        run,
        () -> {
          store.put(key, workerId, content);
          return new StoredText(key, content.length()).toString();
        });
  }
}
