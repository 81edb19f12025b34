package io.asyncflow.dev.text;

import io.asyncflow.seal.SealKeys.Generation;
import java.util.List;

/** Keys that seal, as text: their numbers. */
public final class SealText {
  private SealText() {}

  /** One line for keys that were made together, below a line of heads. */
  public static List<String> table(List<Generation> generations) {
    TextTable table = new TextTable("TEXTS", "CREATES", "OBJECTS", "USE");
    for (Generation keys : generations) {
      table.add(
          Long.toString(keys.texts()),
          Long.toString(keys.repeatable()),
          Long.toString(keys.objects()),
          keys.isPrimary() ? "seal now" : "open");
    }
    return table.lines();
  }
}
