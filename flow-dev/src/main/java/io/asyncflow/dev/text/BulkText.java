package io.asyncflow.dev.text;

import io.asyncflow.api.bulk.Bulk;
import java.util.List;

/** Bulks as lines of a table. */
public final class BulkText {
  private BulkText() {}

  /** One line a bulk, below a line of heads. */
  public static List<String> table(List<Bulk> bulks, TimeText times) {
    TextTable table =
        new TextTable("BULK", "STATE", "ACT", "DONE", "SKIPPED", "REFUSED", "STARTED", "REASON");
    for (Bulk bulk : bulks) {
      table.add(
          bulk.bulkId(),
          bulk.state().name(),
          bulk.act().name(),
          Integer.toString(bulk.done()),
          Integer.toString(bulk.skipped()),
          Integer.toString(bulk.refused()),
          times.of(bulk.startTime()),
          bulk.reason());
    }
    return table.lines();
  }
}
