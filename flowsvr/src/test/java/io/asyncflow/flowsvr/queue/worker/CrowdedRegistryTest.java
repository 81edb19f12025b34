package io.asyncflow.flowsvr.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.queue.hold.OpenHolds;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

/** Beats of more workers than a server remembers until they are written. */
class CrowdedRegistryTest {

  private static final int MOST = 10;

  private final WorkerStore store = mock();
  private final OpenHolds holds = mock();
  private final WorkerRegistry registry =
      new WorkerRegistry(
          store, mock(), holds, mock(), mock(), mock(), mock(), mock(), new Node(), MOST);

  private void beat(Caller caller, String workerId) {
    when(holds.drainOf(anyString(), anyString())).thenReturn(Optional.empty());
    registry.beat(new WorkerBeat(workerId, "s", "", "", null, 0, null), caller);
  }

  private static Caller callerOf(Caller.Kind kind, String principal) {
    return new Caller(kind, principal, Set.of(Role.WORKER), Scope.ALL);
  }

  @SuppressWarnings("unchecked")
  private List<String> written() {
    when(holds.seenWorkers()).thenReturn(new HashSet<>());
    registry.runOnce();
    ArgumentCaptor<List<WorkerStore.AgedBeat>> beats = ArgumentCaptor.forClass(List.class);
    verify(store).write(beats.capture());
    return beats.getValue().stream().map(aged -> aged.beat().workerId()).toList();
  }

  @Test
  void oneKeyLeavesRoomForTheWorkersOfOthers() {
    Caller greedy = callerOf(Caller.Kind.KEY, "key:greedy");
    for (int i = 0; i < 3 * MOST; i++) {
      beat(greedy, "ghost" + i);
    }
    beat(callerOf(Caller.Kind.KEY, "key:other"), "modest");

    assertThat(written()).contains("modest").hasSize(MOST / 2 + 1);
  }

  @Test
  void keyOfTheServerMayBeThatOfAllWorkers() {
    Caller all = callerOf(Caller.Kind.ENV, Caller.ENVIRONMENT);
    for (int i = 0; i < 3 * MOST; i++) {
      beat(all, "worker" + i);
    }

    assertThat(written()).hasSize(MOST);
  }
}
