package io.asyncflow.worker.internal.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.StoreContent;
import io.asyncflow.api.StoreKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SpoolingStoreTest {

  private static final StoreKey KEY = StoreKey.of("7_lark_task_1", "render", 1, "page.png");
  private static final StoreContent CONTENT =
      StoreContent.of("page".getBytes(StandardCharsets.UTF_8));

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource(names = {"UNAVAILABLE", "NOT_AUTHENTICATED", "KEY_ENDED", "VERB_MISSING"})
  void anObjectIsKeptThroughAnOutageAndUntilThereIsAnotherKey(ErrorCode refusal)
      throws IOException {
    ObjectSpool spool = new ObjectSpool(directory);
    SpoolingStore store = new SpoolingStore(new RefusingStore(refusal), spool);
    store.put(KEY, "worker", CONTENT);
    assertThat(spool.hasAny()).isTrue();
    try (InputStream kept = store.open(KEY)) {
      assertThat(kept).hasContent("page");
    }
  }

  @Test
  void withoutASpoolTheRefusalIsTheRuns() {
    SpoolingStore store =
        new SpoolingStore(new RefusingStore(ErrorCode.KEY_ENDED), new ObjectSpool(null));
    assertThatThrownBy(() -> store.put(KEY, "worker", CONTENT)).isInstanceOf(FlowException.class);
  }

  @ParameterizedTest
  @EnumSource(names = {"LEASE_LOST", "TOO_LARGE", "OUT_OF_SCOPE"})
  void anyOtherRefusalIsTheRunsToo(ErrorCode refusal) {
    ObjectSpool spool = new ObjectSpool(directory);
    SpoolingStore store = new SpoolingStore(new RefusingStore(refusal), spool);
    assertThatThrownBy(() -> store.put(KEY, "worker", CONTENT)).isInstanceOf(FlowException.class);
    assertThat(spool.hasAny()).isFalse();
  }

  private record RefusingStore(ErrorCode refusal) implements StoreClient {

    @Override
    public void put(StoreKey key, String workerId, StoreContent content) {
      throw new FlowException(refusal, "no");
    }

    @Override
    public InputStream open(StoreKey key) {
      throw new FlowException(refusal, "no");
    }
  }
}
