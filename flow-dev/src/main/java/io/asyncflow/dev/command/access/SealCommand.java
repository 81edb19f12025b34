package io.asyncflow.dev.command.access;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.command.option.Argument;
import io.asyncflow.dev.command.option.CommandEntry;
import io.asyncflow.dev.command.option.Run;
import io.asyncflow.dev.command.option.Terminal;
import io.asyncflow.dev.text.Layout;
import io.asyncflow.seal.SealKeys;
import io.asyncflow.seal.SealKeys.Generation;
import io.asyncflow.seal.SealKeysException;
import io.asyncflow.seal.TinkCodec;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** {@code ./asyncflow seal}: makes the keys with which applications and workers seal. */
public final class SealCommand extends CommandEntry {

  private static final Argument<Path> NEW_FILE =
      parameter("FILE", "a new file").as(Path.class).optional();
  private static final Argument<Path> FILE =
      parameter("FILE", "the file").as(Path.class).optional();
  private static final Argument<Long> NUMBER =
      parameter("NUMBER", "one of their numbers, as list shows them").as(Long.class);

  private static final Layout<Generation> TABLE =
      new Layout<Generation>()
          .value("TEXTS", Generation::texts)
          .value("CREATES", Generation::repeatable)
          .value("OBJECTS", Generation::objects)
          .value("USE", keys -> keys.isPrimary() ? "seal now" : "open");

  public SealCommand(Terminal terminal) {
    super(terminal, "seal");
    says("Makes the keys with which applications and workers seal contexts, results and objects."
            + " flowsvr never gets them.")
        .endsWith("Without FILE, " + TinkCodec.KEYS_VARIABLE + " names the file.");
    local("create", NEW_FILE)
        .says("Writes a new file with keys, for its owner alone.")
        .does(with("made", SealCommand::create));
    local("rotate", FILE)
        .says(
            "Adds new keys to a file. From now on these seal, and the earlier ones go on opening."
                + " Give the file to all that open before those that seal read it.")
        .does(with("rotated", SealCommand::rotate));
    local("list", FILE)
        .says(
            "Shows the numbers of the keys in a file, the oldest first. They stand in what the keys"
                + " have sealed.")
        .does(with("shown", SealCommand::list));
    local("remove", NUMBER, FILE)
        .says(
            "Takes earlier keys out of a file. What they have sealed does not open any more, so"
                + " keep a copy until you are sure that nothing is left.")
        .does(with("removed", SealCommand::remove));
  }

  private static Consumer<Run> with(String done, BiConsumer<Run, Path> action) {
    return run -> {
      String variable = run.environment().getOrDefault(TinkCodec.KEYS_VARIABLE, "").strip();
      Path file = run.get(FILE);
      if (file == null && variable.isEmpty()) {
        throw new UsageException("Name a FILE, or set " + TinkCodec.KEYS_VARIABLE + ".");
      }
      try {
        action.accept(run, file == null ? Path.of(variable) : file);
      } catch (SealKeysException e) {
        throw new DevException("The keys are not " + done + ": " + e.getMessage() + ".", e);
      }
    };
  }

  private static void create(Run run, Path file) {
    SealKeys.generate().create(file);
    run.say("Created " + file + ". Keep a copy: without it nothing can be opened.");
  }

  private static void rotate(Run run, Path file) {
    SealKeys.change(file, SealKeys::rotated);
    run.say("Added new keys to " + file + ".");
  }

  private static void list(Run run, Path file) {
    run.say(TABLE.table(SealKeys.read(file).generations(), run.times()));
  }

  private static void remove(Run run, Path file) {
    long number = run.get(NUMBER);
    SealKeys.change(file, keys -> keys.without(number));
    run.say("Removed the keys with " + number + " from " + file + ".");
  }
}
