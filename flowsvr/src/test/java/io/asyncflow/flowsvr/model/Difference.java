package io.asyncflow.flowsvr.model;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Where two drivers first said different things.
 *
 * @param step how many commands of the sequence had been carried out
 * @param command the one that they answered differently: the last of those, or a look at everything
 * @param fields which parts of the answers differ, never empty
 */
record Difference(int step, Command command, List<Field> fields) {

  /**
   * @param path from the answer to the field
   * @param name of the field itself
   */
  record Field(String path, String name, Object expected, Object actual) {
    @Override
    public String toString() {
      return path + ": the model says " + expected + ", the server " + actual;
    }
  }

  static Optional<Difference> between(int step, Command command, Answer expected, Answer actual) {
    List<Field> fields = new ArrayList<>();
    compare("answer", "answer", expected, actual, fields);
    return fields.isEmpty() ? Optional.empty() : Optional.of(new Difference(step, command, fields));
  }

  private static void compare(
      String path, String name, Object expected, Object actual, List<Field> found) {
    if (Objects.equals(expected, actual)) {
      return;
    }
    if (expected instanceof List<?> one && actual instanceof List<?> other) {
      if (!tasks(one).equals(tasks(other))) {
        found.add(new Field(path, name, tasks(one), tasks(other)));
        return; // other tasks, or in another order, are not compared one by one
      }
      for (int i = 0; i < one.size(); i++) {
        compare(path + "[" + i + "]", name, one.get(i), other.get(i), found);
      }
    } else if (expected instanceof Record
        && actual instanceof Record
        && expected.getClass() == actual.getClass()) {
      for (RecordComponent part : expected.getClass().getRecordComponents()) {
        String partName = part.getName();
        compare(path + "." + partName, partName, get(part, expected), get(part, actual), found);
      }
    } else {
      found.add(new Field(path, name, expected, actual));
    }
  }

  private static List<Object> tasks(List<?> list) {
    List<Object> tasks = new ArrayList<>();
    list.forEach(item -> tasks.add(item instanceof TaskView view ? view.task() : item));
    return tasks;
  }

  private static Object get(RecordComponent part, Object record) {
    try {
      return part.getAccessor().invoke(record);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether the same thing seems to be wrong; keeps a shrinker from sliding to something else. */
  boolean isLike(Difference other) {
    return fields.get(0).name().equals(other.fields.get(0).name());
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append("after ").append(step).append(" commands, at ").append(Command.show(command));
    fields.forEach(field -> text.append("\n  ").append(field));
    return text.toString();
  }
}
