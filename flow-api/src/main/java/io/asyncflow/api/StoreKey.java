package io.asyncflow.api;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The key of an object of the context store, {@code {taskId}/{stage}/{epoch}/{name}}: an object
 * that one run of one stage has stored.
 *
 * <p>A key is safe as a path in every file system: its parts consist of letters, digits, {@code _},
 * {@code -} and, inside the last one, dots.
 *
 * @param taskId the task
 * @param stage the run's stage, as {@link #spelled} returns it
 * @param epoch the epoch of the run's hold, from 1
 * @param name 1 to 100 characters; names that begin with {@code _} are reserved for the SDK
 */
public record StoreKey(String taskId, String stage, int epoch, String name) {

  /** The prefix that makes a key a reference, for example in a context. */
  public static final String REFERENCE = "stored:";

  private static final String TASK = "[1-9][0-9]{0,18}_[a-z][a-z0-9_]{0,30}_task_[1-9][0-9]{0,8}";
  private static final String STAGE = "[A-Za-z0-9_-]{1,64}";
  private static final String EPOCH = "[1-9][0-9]{0,9}";
  private static final String NAME = "[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?";

  private static final Pattern FORM =
      Pattern.compile("(" + TASK + ")/(" + STAGE + ")/(" + EPOCH + ")/(" + NAME + ")");

  /**
   * Some JSON writers escape slashes, once for each level of nested strings. A match begins only
   * where a run of backslashes does, so that none is looked through twice.
   */
  private static final Pattern ESCAPED_SLASH = Pattern.compile("(?<!\\\\)\\\\++/");

  private static final Pattern GOOD_NAME = Pattern.compile(NAME);

  /** Names that Windows reserves for devices, with any extension. */
  private static final Pattern DEVICE =
      Pattern.compile("(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\\..*)?");

  public StoreKey {
    Objects.requireNonNull(taskId, "taskId");
    Objects.requireNonNull(stage, "stage");
    Objects.requireNonNull(name, "name");
    if (!isKey(taskId + "/" + stage + "/" + epoch + "/" + name)) {
      throw new IllegalArgumentException(
          "not a key: '" + taskId + "', '" + stage + "', " + epoch + ", '" + name + "'");
    }
  }

  /**
   * The key under which a run stores an object of this name.
   *
   * @param stage the task's stage; each character that a key cannot contain becomes {@code _}
   * @throws IllegalArgumentException if the name is not valid
   */
  public static StoreKey of(String taskId, String stage, int epoch, String name) {
    if (!isName(name)) {
      throw new IllegalArgumentException(
          "'"
              + name
              + "' is not a valid object name: 1 to 100 letters, digits, '.', '_' and '-', not a"
              + " dot first or last, and not a device name of Windows");
    }
    return new StoreKey(taskId, spelled(stage), epoch, name);
  }

  /**
   * The stage in the spelling of a key. Two stages may have the same spelling; the epoch tells
   * their runs apart.
   */
  public static String spelled(String stage) {
    String spelled = stage.replaceAll("[^A-Za-z0-9_-]", "_");
    return spelled.isEmpty() ? "_" : spelled;
  }

  /** Parses a key; empty if {@code text} is none. */
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

  /** The key of a reference; empty if {@code reference} is none. */
  public static Optional<StoreKey> ofReference(String reference) {
    return reference.startsWith(REFERENCE)
        ? parse(reference.substring(REFERENCE.length()))
        : Optional.empty();
  }

  /** The keys that occur in a text, each once, in the order of the text. */
  public static List<StoreKey> allIn(String text) {
    if (text.indexOf('/') < 0) {
      return List.of();
    }
    return FORM.matcher(ESCAPED_SLASH.matcher(text).replaceAll("/"))
        .results()
        .map(found -> parse(found.group()))
        .flatMap(Optional::stream)
        .distinct()
        .toList();
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

  /** The reference that stands for the object in a context or a result. */
  public String reference() {
    return REFERENCE + this;
  }

  /** The type of the task, in lower case. */
  public String taskType() {
    return taskId.substring(taskId.indexOf('_') + 1, taskId.lastIndexOf("_task_"));
  }

  @Override
  public String toString() {
    return taskId + "/" + stage + "/" + epoch + "/" + name;
  }
}
