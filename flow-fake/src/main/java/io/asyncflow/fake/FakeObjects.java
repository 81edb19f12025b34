package io.asyncflow.fake;

import io.asyncflow.api.StoreClient;
import io.asyncflow.api.StoreContent;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.codec.SealedText;
import io.asyncflow.rules.HoldFence;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.field.SentFields;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The objects of a {@link FakeFlowServer}, which only a holder may write. */
final class FakeObjects implements StoreClient {

  private final FakeFlowServer server;
  private final FakeStore store = new FakeStore();

  FakeObjects(FakeFlowServer server) {
    this.server = server;
  }

  FakeStore store() {
    return store;
  }

  @Override
  public void put(StoreKey key, String workerId, StoreContent content) {
    requireHold(key, workerId);
    checkSealing(key, beginningOf(content));
    store.put(key, workerId, content);
    gotThrough();
  }

  private void requireHold(StoreKey key, String workerId) {
    synchronized (server) {
      server.faults.before();
      server.faults.requireObjects();
      TaskRow row = server.tasks.row(key.taskId());
      HoldFence.require(row, key.epoch(), workerId);
      String stage = StoreKey.spelled(row.stage());
      if (!stage.equals(key.stage())) {
        SentFields in = server.sent();
        in.refuse("key", "cannot be written: this hold is of the stage " + stage);
        in.refuseIfBad();
      }
    }
  }

  private static String beginningOf(StoreContent content) {
    try (InputStream in = content.open()) {
      byte[] bytes = in.readNBytes(SealedText.BEGINNING.length());
      return new String(bytes, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void checkSealing(StoreKey key, String beginning) {
    synchronized (server) {
      server.types.checkSealing(key.taskType(), beginning, "object " + key);
    }
  }

  @Override
  public InputStream open(StoreKey key) {
    gotThrough();
    return store.open(key);
  }

  private void gotThrough() {
    synchronized (server) {
      server.faults.before();
      server.faults.after();
    }
  }
}
