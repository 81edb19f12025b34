package io.asyncflow.dev.command.fleet;

import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.dev.command.option.ActOptions;
import java.util.Arrays;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** What {@code pause} and {@code resume} name on the command line. */
final class Pausable {

  /** What can be paused. */
  enum Kind {
    TYPE(PauseKind.TYPE),
    STAGE(PauseKind.STAGE),
    WORKER(PauseKind.WORKER),
    TASK(null),
    JOB(null);

    /** {@code null} of what has a pause of its own. */
    final PauseKind pause;

    Kind(PauseKind pause) {
      this.pause = pause;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Reads a kind, whatever its case. */
  static final class KindOf implements ITypeConverter<Kind> {
    @Override
    public Kind convert(String text) {
      return Arrays.stream(Kind.values())
          .filter(kind -> kind.toString().equalsIgnoreCase(text))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException("is not type, stage, worker, task or job: " + text));
    }
  }

  @Parameters(
      index = "0",
      paramLabel = "KIND",
      converter = KindOf.class,
      description = "type, stage, worker, task or job")
  Kind kind;

  @Parameters(
      index = "1",
      paramLabel = "NAME",
      description = "a type; a stage as lark/sendmsg; the id of a worker, a task or a job")
  String name;

  @Mixin ActOptions act;
}
