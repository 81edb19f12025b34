package io.asyncflow.flowsvr.stats.depth;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.stats.depth.Depths.Firsts;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How the stages of a table are found; the index is a set of them. */
class DepthsTest {

  private static final TaskTable TABLE = new TaskTable(new TaskType("lark"), 1);

  private final TreeSet<String> stages = new TreeSet<>();
  private int questions;
  private boolean isOver;
  private final Depths depths = new Depths(new Stages(), new Node(), true);

  /** Answers what follows a stage. */
  private final class Stages extends DepthStore {
    private Stages() {
      super(null, () -> false);
    }

    @Override
    Next firstOfNext(List<Place> after) {
      questions++;
      Map<Place, First> following = new HashMap<>();
      for (Place place : after) {
        String next = stages.higher(place.stage());
        if (next != null) {
          Place first = new Place(TABLE, TaskStatus.WAITING, next, "");
          following.put(place, new First(first, 1, 0, 0, 1));
        }
      }
      return isOver ? new Next(Map.of(), new HashSet<>(after)) : new Next(following, Set.of());
    }
  }

  private List<String> found() {
    questions = 0;
    Firsts firsts = depths.firsts(List.of(TABLE), List.of(TaskStatus.WAITING));
    return firsts.list().stream().map(first -> first.place().stage()).toList();
  }

  @Test
  void placesOfTheLastTimeAreAskedForTogetherAndNewOnesAreFound() {
    IntStream.range(10, 30).forEach(i -> stages.add("s" + i));
    assertThat(found()).containsExactlyElementsOf(stages);
    assertThat(questions).isEqualTo(21);

    assertThat(found()).containsExactlyElementsOf(stages);
    assertThat(questions).isEqualTo(1);

    stages.add("s12b");
    assertThat(found()).containsExactlyElementsOf(stages);
    assertThat(questions).isEqualTo(2);

    stages.removeAll(List.of("s10", "s20", "s29"));
    assertThat(found()).containsExactlyElementsOf(stages);
    assertThat(questions).isEqualTo(1);
  }

  @Test
  void tableForWhichThereIsNoTimeIsCut() {
    stages.add("first");
    isOver = true;
    Firsts firsts = depths.firsts(List.of(TABLE), List.of(TaskStatus.WAITING));

    assertThat(firsts.list()).isEmpty();
    assertThat(firsts.cut()).containsExactly(TABLE);
    assertThat(firsts.now()).isEmpty();
  }
}
