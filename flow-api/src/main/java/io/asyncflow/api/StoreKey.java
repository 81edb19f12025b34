package io.asyncflow.api;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of an object of the context store, {@code {taskId}/{stage}/{epoch}/{name}}: what one run
 * of one stage has put there.
 *
 * <p>No key can be a path that leads elsewhere, or that some file system takes for something else:
 * its parts are of letters, digits, {@code _}, {@code -} and, inside the last one, dots.
 *
 * @param taskId the task
 * @param stage the run's stage, as {@link #of} spells it
 * @param epoch of the run's hold, from 1
 * @param name 1 to 100 characters; those that begin with {@code _} are the SDK's own
 */
public record StoreKey(String taskId, String stage, int epoch, String name) {

  /** What stands before a key where it is a reference, as in a context. */
  public static final String REFERENCE = "stored:";

  private static final String TASK = "[1-9][0-9]{0,18}_[a-z][a-z0-9_]{0,30}_task_[1-9][0-9]{0,8}";
  private static final String STAGE = "[A-Za-z0-9_-]{1,64}";
  private static final String EPOCH = "[1-9][0-9]{0,9}";
  private static final String NAME = "[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?";

  private static final Pattern FORM =
      Pattern.compile("(" + TASK + ")/(" + STAGE + ")/(" + EPOCH + ")/(" + NAME + ")");
  private static final Pattern GOOD_NAME = Pattern.compile(NAME);

  /** Windows opens a device under such a name, whatever follows the dot. */
  private static final Pattern DEVICE =
      Pattern.compile("(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\\..*)?");

  public StoreKey {
    Objects.requireNonNull(taskId, "taskId");
    Objects.requireNonNull(stage, "stage");
    Objects.requireNonNull(name, "name");
    if (!isKey(taskId + "/" + stage + "/" + epoch + "/" + name)) {
      throw new IllegalArgumentException(
          "no key: '" + taskId + "', '" + stage + "', " + epoch + ", '" + name + "'");
    }
  }

  /**
   * The key of what a run stores under this name.
   *
   * @param stage as the task has it; what a key cannot contain becomes {@code _}
   * @throws IllegalArgumentException if the name cannot be one
   */
  public static StoreKey of(String taskId, String stage, int epoch, String name) {
    if (!isName(name)) {
      throw new IllegalArgumentException(
          "'"
              + name
              + "' is no name for an object: 1 to 100 letters, digits, '.', '_' and '-', not a dot"
              + " first or last, and no device of Windows");
    }
    return new StoreKey(taskId, spelled(stage), epoch, name);
  }

  /**
   * A stage as a key spells it. Two stages may be spelled alike; what keeps their runs apart is the
   * epoch.
   */
  public static String spelled(String stage) {
    String spelled = stage.replaceAll("[^A-Za-z0-9_-]", "_");
    return spelled.isEmpty() ? "_" : spelled;
  }

  /** The key that {@code text} spells; empty if it spells none. */
  public static Optional<StoreKey> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches() || !isKey(text)) {
      return Optional.empty();
    }
    return Optional.of(
        new StoreKey(
            matcher.group(1),
            matcher.group(2),
            Integer.parseInt(matcher.group(3)),
            matcher.group(4)));
  }

  /** The key that a reference names; empty if it is none. */
  public static Optional<StoreKey> ofReference(String reference) {
    return reference.startsWith(REFERENCE)
        ? parse(reference.substring(REFERENCE.length()))
        : Optional.empty();
  }

  private static boolean isName(String name) {
    return GOOD_NAME.matcher(name).matches()
        && !DEVICE.matcher(name.toLowerCase(Locale.ROOT)).matches();
  }

  private static boolean isKey(String text) {
    Matcher matcher = FORM.matcher(text);
    return matcher.matches()
        && isName(matcher.group(4))
        && Long.parseLong(matcher.group(3)) <= Integer.MAX_VALUE;
  }

  /** What stands for the object in a context or a result. */
  public String reference() {
    return REFERENCE + this;
  }

  @Override
  public String toString() {
    return taskId + "/" + stage + "/" + epoch + "/" + name;
  }
}
