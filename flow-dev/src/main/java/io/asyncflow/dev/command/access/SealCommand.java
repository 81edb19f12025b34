package io.asyncflow.dev.command.access;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.text.SealText;
import io.asyncflow.seal.SealKeys;
import io.asyncflow.seal.SealKeysException;
import io.asyncflow.seal.TinkCodec;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ./asyncflow seal}: makes the keys with which applications and workers seal. */
@Command(
    name = "seal",
    synopsisSubcommandLabel = "COMMAND",
    description =
        "Makes the keys with which applications and workers seal contexts, results and objects."
            + " flowsvr never gets them.",
    footer = "Without FILE, " + TinkCodec.KEYS_VARIABLE + " names the file.")
public final class SealCommand {
  private final Map<String, String> environment;
  private final PrintStream out;

  public SealCommand(Map<String, String> environment, PrintStream out) {
    this.environment = environment;
    this.out = out;
  }

  @Command(name = "create", description = "Writes a new file with keys, for its owner alone.")
  void create(
      @Parameters(paramLabel = "FILE", arity = "0..1", description = "a new file") Path file) {
    Path target = fileOr(file);
    try {
      SealKeys.generate().create(target);
    } catch (SealKeysException e) {
      throw new DevException("The keys are not made: " + e.getMessage() + ".", e);
    }
    out.println("Created " + target + ". Keep a copy: without it nothing can be opened.");
  }

  @Command(
      name = "rotate",
      description =
          "Adds new keys to a file. From now on these seal, and the earlier ones go on opening."
              + " Give the file to all that open before those that seal read it.")
  void rotate(
      @Parameters(paramLabel = "FILE", arity = "0..1", description = "the file") Path file) {
    Path target = fileOr(file);
    try {
      SealKeys.change(target, SealKeys::rotated);
    } catch (SealKeysException e) {
      throw new DevException("The keys are not rotated: " + e.getMessage() + ".", e);
    }
    out.println("Added new keys to " + target + ".");
  }

  @Command(
      name = "list",
      description =
          "Shows the numbers of the keys in a file, the oldest first. They stand in what the keys"
              + " have sealed.")
  void list(@Parameters(paramLabel = "FILE", arity = "0..1", description = "the file") Path file) {
    Path target = fileOr(file);
    try {
      SealText.table(SealKeys.read(target).generations()).forEach(out::println);
    } catch (SealKeysException e) {
      throw new DevException("The keys are not shown: " + e.getMessage() + ".", e);
    }
  }

  @Command(
      name = "remove",
      description =
          "Takes earlier keys out of a file. What they have sealed does not open any more, so keep"
              + " a copy until you are sure that nothing is left.")
  void remove(
      @Parameters(paramLabel = "NUMBER", description = "one of their numbers, as list shows them")
          long number,
      @Parameters(paramLabel = "FILE", arity = "0..1", description = "the file") Path file) {
    Path target = fileOr(file);
    try {
      SealKeys.change(target, keys -> keys.without(number));
    } catch (SealKeysException e) {
      throw new DevException("The keys are not removed: " + e.getMessage() + ".", e);
    }
    out.println("Removed the keys with " + number + " from " + target + ".");
  }

  private Path fileOr(Path file) {
    String variable = environment.getOrDefault(TinkCodec.KEYS_VARIABLE, "").strip();
    if (file == null && variable.isEmpty()) {
      throw new UsageException("Name a FILE, or set " + TinkCodec.KEYS_VARIABLE + ".");
    }
    return file == null ? Path.of(variable) : file;
  }
}
