package io.asyncflow.fake;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.StoreContent;
import io.asyncflow.api.StoreKey;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An in-memory context store for tests, without a collector.
 *
 * <p>Several {@code StageHarness} of the worker's SDK may share one, as the runs of a job share
 * that of a server. Thread-safe.
 */
public final class FakeStore implements StoreClient {

  private final Map<StoreKey, byte[]> objects = new ConcurrentHashMap<>();

  @Override
  public void put(StoreKey key, String workerId, StoreContent content) {
    try (InputStream in = content.open()) {
      objects.put(key, in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public InputStream open(StoreKey key) {
    return new ByteArrayInputStream(
        Optional.ofNullable(objects.get(key))
            .orElseThrow(
                () -> new FlowException(ErrorCode.NO_SUCH_OBJECT, "there is no object " + key)));
  }

  /** Removes an object, as a collector does. */
  public void remove(String reference) {
    StoreKey.ofReference(reference).ifPresent(objects::remove);
  }

  /** The references of all objects, in order. */
  public Set<String> references() {
    Set<String> references = new TreeSet<>();
    objects.keySet().forEach(key -> references.add(key.reference()));
    return references;
  }
}
