package io.asyncflow.worker.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.worker.internal.loop.TransitionTable;
import io.asyncflow.worker.internal.loop.TransitionTable.Transition;
import io.asyncflow.worker.internal.poll.PollerState;
import io.asyncflow.worker.internal.report.ReportState;
import io.asyncflow.worker.internal.run.RunState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables in the documentation are those of the code, row by row. */
class StateMachineDocsTest {

  private static final Path DOCS = Path.of("../docs/worker-state-machines.md");

  @Test
  void theDocumentationHasEveryTransitionAndNoOther() throws IOException {
    List<String> documented =
        Files.readAllLines(DOCS).stream()
            .filter(line -> line.matches("\\| [A-Z]+ \\| [A-Z_]+ \\| [A-Z]+ \\|.*"))
            .map(line -> line.replaceAll("(\\| [A-Z]+ \\| [A-Z_]+ \\| [A-Z]+ \\|).*", "$1"))
            .toList();
    List<String> real =
        Stream.<TransitionTable<?, ?>>of(PollerState.TABLE, RunState.TABLE, ReportState.TABLE)
            .<Transition<?, ?>>flatMap(table -> table.all().stream())
            .map(StateMachineDocsTest::row)
            .toList();
    assertThat(documented).containsExactlyElementsOf(real);
  }

  private static String row(Transition<?, ?> transition) {
    return "| " + transition.from() + " | " + transition.on() + " | " + transition.to() + " |";
  }
}
