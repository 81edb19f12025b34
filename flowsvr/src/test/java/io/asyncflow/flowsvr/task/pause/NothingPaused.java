package io.asyncflow.flowsvr.task.pause;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** For tests of single classes. */
public final class NothingPaused {

  private NothingPaused() {}

  public static PausesInForce inForce() {
    PauseStore store = mock();
    when(store.inForce()).thenReturn(Paused.NOTHING);
    return new PausesInForce(store, new Node(), new TaskMeters(new SimpleMeterRegistry()));
  }
}
