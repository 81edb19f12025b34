package io.asyncflow.flowsvr.operate.stats.depth;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.index.SourceWalk.Heads;
import io.asyncflow.flowsvr.task.index.TaskIndexStore;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
  private final class Stages extends TaskIndexStore {
    private Stages() {
      super(null, () -> isOver);
    }

    @Override
    public Map<Source, Head> next(Collection<Source> after) {
      questions++;
      Map<Source, Head> following = new HashMap<>();
      for (Source source : after) {
        String next = stages.higher(source.stage());
        if (next != null) {
          following.put(source, new Head(new Source(TABLE, next), 1, 0, 0, 1));
        }
      }
      return following;
    }
  }

  private List<String> found() {
    questions = 0;
    Heads firsts = depths.firsts(List.of(TABLE), List.of(TaskStatus.WAITING));
    return firsts.list().stream().map(first -> first.source().stage()).toList();
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
    Heads firsts = depths.firsts(List.of(TABLE), List.of(TaskStatus.WAITING));

    assertThat(firsts.list()).isEmpty();
    assertThat(firsts.cut()).containsExactly(TABLE);
    assertThat(firsts.now()).isEmpty();
  }
}
