package io.asyncflow.bench.console;

import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.BulkAct;
import io.asyncflow.api.bulk.BulkArguments;
import io.asyncflow.api.bulk.BulkClient;
import io.asyncflow.api.bulk.BulkPreview;
import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.api.bulk.NewBulk;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/** A bulk that cancels what becomes due tomorrow, as fast as it may; it is stopped at the end. */
public final class CancellingBulk implements Company {

  private static final String OPERATOR = "bench";

  private final Sights sights;
  private int done;
  private long nanos;

  public CancellingBulk(Sights sights) {
    this.sights = sights;
  }

  @Override
  public String name() {
    return "a bulk cancels";
  }

  @Override
  public String seen() {
    return String.format(
        Locale.ROOT, "%,d tasks cancelled, %,.0f a second", done, done / (nanos / 1e9));
  }

  @Override
  public AutoCloseable begin() {
    BulkClient bulks = sights.bed().flow().bulk();
    Map<String, Object> filter =
        Map.of(
            "q",
            "type:" + Sights.type() + " status:waiting",
            "dueFrom",
            System.currentTimeMillis() + Duration.ofHours(1).toMillis());
    BulkPreview preview =
        bulks.preview(new NewBulk(BulkAct.CANCEL, filter, BulkArguments.NONE, null));
    String id = bulks.start(preview.token(), preview.count().count(), OPERATOR, "to measure");
    long begin = System.nanoTime();
    return () -> {
      Bulk bulk = bulks.get(id);
      nanos += System.nanoTime() - begin;
      done += bulk.done();
      if (bulk.state() == BulkState.RUNNING) {
        bulks.stop(id, OPERATOR, "measured");
      }
      if (bulk.done() == 0) {
        throw new IllegalStateException("the bulk did nothing: " + bulk);
      }
    };
  }
}
