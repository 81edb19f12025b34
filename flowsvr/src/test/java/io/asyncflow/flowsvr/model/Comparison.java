package io.asyncflow.flowsvr.model;

import static java.util.stream.Collectors.joining;

import io.asyncflow.flowsvr.model.Command.Create;
import io.asyncflow.flowsvr.model.Command.CreateBatch;
import io.asyncflow.flowsvr.model.Command.GetTask;
import io.asyncflow.flowsvr.model.Command.ListTasks;
import io.asyncflow.flowsvr.model.Command.SaveType;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Carries out sequences with two drivers and looks for the first thing that they do not agree on:
 * the answer to a command, or now and then everything that can be read.
 */
final class Comparison {

  private static final int LOOK_SELDOM = 10;
  private static final int LOOK_ALWAYS = 1;
  private static final int PAGE = 100;

  private final Supplier<Driver> models;
  private final Supplier<Driver> servers;

  /**
   * @param models each a driver that has seen nothing yet
   * @param servers the same
   */
  Comparison(Supplier<Driver> models, Supplier<Driver> servers) {
    this.models = models;
    this.servers = servers;
  }

  /** A difference with the shortest sequence that shows it. */
  record Finding(Difference difference, List<Command> trace) {
    @Override
    public String toString() {
      return trace.stream().map(Command::show).collect(joining("\n", difference + "\n", ""));
    }
  }

  /** Empty if the drivers agree. */
  Optional<Finding> findDifference(List<Command> commands) {
    return firstDifference(commands, LOOK_SELDOM)
        .map(seen -> shrink(commands.subList(0, seen.step()), seen));
  }

  /** A look after every command tells best whether it is still the same difference. */
  private Finding shrink(List<Command> commands, Difference seen) {
    Difference first = firstDifference(commands, LOOK_ALWAYS).orElse(seen);
    List<Command> trace =
        Shrinker.shrink(
            commands.subList(0, first.step()),
            shorter -> firstDifference(shorter, LOOK_ALWAYS).filter(first::isLike).isPresent());
    return new Finding(firstDifference(trace, LOOK_ALWAYS).orElse(first), trace);
  }

  private Optional<Difference> firstDifference(List<Command> commands, int lookEvery) {
    try (Driver model = models.get();
        Driver server = servers.get()) {
      return new Run(model, server, commands).firstDifference(lookEvery);
    }
  }

  private record Run(Driver model, Driver server, List<Command> commands) {

    Optional<Difference> firstDifference(int lookEvery) {
      Optional<Difference> difference = Optional.empty();
      for (int step = 1; step <= commands.size() && difference.isEmpty(); step++) {
        difference = compare(step, commands.get(step - 1));
        if (difference.isEmpty() && step % lookEvery == 0) {
          difference = look(step, lists());
        }
      }
      return difference.or(() -> look(commands.size(), Stream.concat(lists(), gets())));
    }

    private Optional<Difference> look(int step, Stream<Command> looks) {
      return looks.flatMap(look -> compare(step, look).stream()).findFirst();
    }

    private Optional<Difference> compare(int step, Command command) {
      Answer expected = command.sendTo(model);
      Answer actual = command.sendTo(server);
      return Difference.between(step, command, expected, actual);
    }

    private Stream<Command> lists() {
      return all(SaveType.class)
          .map(saved -> saved.settings().taskType())
          .distinct()
          .map(type -> new ListTasks(type, null, PAGE));
    }

    private Stream<Command> gets() {
      return Stream.concat(
              all(Create.class), all(CreateBatch.class).flatMap(batch -> batch.tasks().stream()))
          .map(create -> new GetTask(create.label()));
    }

    private <C extends Command> Stream<C> all(Class<C> kind) {
      return commands.stream().filter(kind::isInstance).map(kind::cast);
    }
  }
}
