package io.asyncflow.systemtest.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.systemtest.chaos.Disaster.Blow;
import io.asyncflow.systemtest.chaos.Disaster.Target;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NemesisTest {

  private final List<Blow> blows = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private Nemesis nemesis;

  @Test
  void whatIsNotThereIsNotHurt() {
    nemesis =
        new Nemesis(
            ChaosPlan.of(1, 1), List.of(), Map.of(Target.NODE, List.of(new Node())), told::add);

    nemesis.run();

    assertThat(blows).containsOnly(Blow.RUN);
    assertThat(told).containsOnly("run --kill-node");
    assertThat(nemesis.done()).containsOnlyKeys(Disaster.NODE_KILLED);
    assertThat(nemesis.failures()).isEqualTo(blows.size());
  }

  /** Ends it with the first strike, which fails. */
  private final class Node implements Victim {

    @Override
    public String name() {
      return "--kill-node";
    }

    @Override
    public Collection<String> sufferers() {
      return List.of();
    }

    @Override
    public void strike(Blow blow) {
      blows.add(blow);
      nemesis.stop();
    }

    @Override
    public int failures() {
      return blows.size();
    }

    @Override
    public void heal(Blow blow) {}
  }
}
