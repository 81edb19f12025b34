package io.asyncflow.worker.internal.spool;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.StoreContent;
import io.asyncflow.api.StoreKey;
import java.io.InputStream;

/** The context store for runs: undelivered objects are kept on this machine's disk. */
public final class SpoolingStore implements StoreClient {

  private final StoreClient store;
  private final ObjectSpool spool;

  public SpoolingStore(StoreClient store, ObjectSpool spool) {
    this.store = store;
    this.spool = spool;
  }

  @Override
  public void put(StoreKey key, String workerId, StoreContent content) {
    try {
      store.put(key, workerId, content);
      spool.forget(key);
    } catch (FlowException e) {
      boolean mayPass = e.retryable() || e.errorCode().refusesKey();
      if (!mayPass || !spool.keep(key, workerId, content)) {
        throw e;
      }
    }
  }

  @Override
  public InputStream open(StoreKey key) {
    return spool.open(key).orElseGet(() -> store.open(key));
  }
}
