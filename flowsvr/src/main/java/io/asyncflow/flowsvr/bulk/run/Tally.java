package io.asyncflow.flowsvr.bulk.run;

import io.asyncflow.api.bulk.Bulk.Refusal;
import io.asyncflow.flowsvr.bulk.BulkRow;
import io.asyncflow.flowsvr.bulk.BulkRow.Progress;
import java.util.ArrayList;
import java.util.List;

/** Counts what a page does. Not thread-safe. */
final class Tally {

  private final Progress before;
  private final List<Refusal> refusals;
  private int done;
  private int skipped;
  private int refused;

  Tally(Progress before) {
    this.before = before;
    this.refusals = new ArrayList<>(before.refusals());
  }

  void done() {
    done++;
  }

  /** As this one after a further act, which may be tried several times. */
  Tally andOneDone() {
    Tally next = new Tally(before);
    next.refusals.clear();
    next.refusals.addAll(refusals);
    next.done = done + 1;
    next.skipped = skipped;
    next.refused = refused;
    return next;
  }

  void skip() {
    skipped++;
  }

  void refuse(Refusal refusal) {
    refused++;
    if (refusals.size() < BulkRow.MOST_REFUSALS) {
      refusals.add(refusal);
    }
  }

  /**
   * How far the bulk has come after the page.
   *
   * @param looked entries of the page
   */
  Progress to(String position, int looked, long term) {
    return new Progress(
        position,
        before.pages() + 1,
        term,
        before.looked() + looked,
        before.done() + done,
        before.skipped() + skipped,
        before.refused() + refused,
        List.copyOf(refusals));
  }
}
