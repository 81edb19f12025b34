package io.asyncflow.worker.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.LoggedLines;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class DrainTest {

  private final List<String> stops = new ArrayList<>();
  private final Iterator<Error> errors =
      List.<Error>of(
              new OutOfMemoryError("unable to create native thread"),
              new OutOfMemoryError("unable to create native thread"))
          .iterator();
  private Thread stopping;

  /** Cannot be started as long as there are errors. */
  private Thread scarceThread(Runnable task) {
    stopping =
        new Thread(task) {
          @Override
          public void start() {
            if (errors.hasNext()) {
              throw errors.next();
            }
            super.start();
          }
        };
    return stopping;
  }

  @Test
  void aWorkerWithoutAThreadToStopOnStopsWhenItIsDrainedOnceMore() throws Exception {
    Drain drain = new Drain(() -> stops.add("stopped"), this::scarceThread, new Link());
    try (LoggedLines log = new LoggedLines(Drain.class)) {
      drain.begin();
      drain.begin();
      assertThat(drain.begun()).isFalse();
      assertThat(log.lines()).hasSize(1);
    }

    drain.begin();
    drain.begin();

    assertThat(drain.begun()).isTrue();
    stopping.join();
    assertThat(stops).containsExactly("stopped");
  }
}
