package io.asyncflow.flowsvr.base.duty;

import io.asyncflow.flowsvr.base.system.db.PagedDelete;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/** Makes the duties that delete obsolete rows a page at a time. */
@Component
public record Retention(DutyIntervals every, PagedDelete pages) {

  /**
   * The duty of the leader that runs each of these statements until no rows are left for it.
   *
   * @param what the rows; the name of the duty begins with it
   * @param statements each deletes up to so many rows and returns their number
   */
  public Duty of(String what, IntUnaryOperator... statements) {
    return Duty.ofCleaning(
        what + "-retention", every, () -> Stream.of(statements).mapToInt(pages::run).sum());
  }
}
