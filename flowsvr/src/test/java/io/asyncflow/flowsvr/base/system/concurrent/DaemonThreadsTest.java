package io.asyncflow.flowsvr.base.system.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.util.concurrent.ThreadPoolExecutor;
import org.junit.jupiter.api.Test;

class DaemonThreadsTest {

  @Test
  void threadsHaveNamesAndKeepNoJvmFromEnding() throws Exception {
    ThreadPoolExecutor pool = DaemonThreads.pool(1, "look");
    try {
      Thread thread = pool.submit(Thread::currentThread).get();
      assertThat(thread.getName()).isEqualTo("look-1");
      assertThat(thread.isDaemon()).isTrue();
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void whatComesAfterTheStopIsDropped() {
    ThreadPoolExecutor pool = DaemonThreads.pool(1, "look");
    pool.shutdown();
    assertThatNoException().isThrownBy(() -> pool.execute(() -> {}));
  }
}
