package io.asyncflow.console.page.failure;

import io.asyncflow.api.stats.FailureGroup;
import io.asyncflow.api.stats.FailurePage;
import io.asyncflow.api.stats.FailureRequest;
import io.asyncflow.api.stats.Meta;
import io.asyncflow.api.stats.StatsClient;
import io.asyncflow.console.chart.Spark;
import io.asyncflow.console.frame.Form;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.page.TypeNames;
import java.util.List;

/**
 * A page of failures that are alike.
 *
 * @param filter which ones were asked for
 * @param spanMs how long ago the first of them may have been
 * @param isWhole whether all were read; otherwise counts are lower bounds
 * @param older the address of the next page; {@code null} on the last
 * @param types that the field suggests
 */
public record Failures(
    Filter filter,
    long spanMs,
    boolean isWhole,
    List<FailureGroup> groups,
    String older,
    TypeNames types) {

  /** Those that have a tab of their own; the first one is all. */
  public static final List<String> TABS = List.of("", "TIMED_OUT", "WORKER_LOST", "POISON");

  private static final int PAGE = 50;
  private static final long DAY = 86_400_000L;
  private static final long MINUTE = 60_000L;

  /** Of all failures that the server knows, and not of the last day alone. */
  private static final String LONG = "all";

  /**
   * Which failures; empty for any.
   *
   * @param span {@code all}, or else of the last day
   */
  public record Filter(String type, String stage, String verdict, String span) {

    static Filter of(Form form) {
      return new Filter(
          form.text("type"), form.text("stage"), form.text("verdict"), form.text("span"));
    }

    public boolean isLong() {
      return LONG.equals(span);
    }

    public boolean isEmpty() {
      return (type + stage + verdict).isEmpty();
    }

    public Filter withVerdict(String other) {
      return new Filter(type, stage, other, span);
    }

    /**
     * The same of the last day, or of all that the server knows.
     *
     * @param isLong whether it is all
     */
    public Filter withLong(boolean isLong) {
      return new Filter(type, stage, verdict, isLong ? LONG : "");
    }

    /** The address of the page that shows them. */
    public String address(Frame frame) {
      return address(frame, null);
    }

    String address(Frame frame, String cursor) {
      Object[] query = {
        "type", type, "stage", stage, "verdict", verdict, "span", span, "cursor", cursor
      };
      return frame.to("/failures", query);
    }
  }

  /** Those of a type in the last day. */
  public static Failures ofType(Visit visit, String type) {
    return read(visit, new Filter(type, "", "", ""), null, TypeNames.NONE);
  }

  static Failures read(Visit visit, Filter filter, TypeNames types) {
    return read(visit, filter, visit.form().given("cursor"), types);
  }

  private static Failures read(Visit visit, Filter filter, String cursor, TypeNames types) {
    StatsClient stats = new StatsClient(visit.api());
    Long from = null;
    Long to = null;
    long span = DAY;
    if (filter.isLong()) {
      Meta meta = stats.meta();
      span = meta.limits().getOrDefault("historyMs", DAY);
      to = (meta.now() / MINUTE + 1) * MINUTE; // in a minute the same question, and the same page
      from = to - span;
    }
    FailurePage page =
        stats.failures(
            new FailureRequest(
                given(filter.type()),
                given(filter.stage()),
                given(filter.verdict()),
                from,
                to,
                PAGE,
                cursor));
    String older =
        page.nextCursor() == null ? null : filter.address(visit.frame(), page.nextCursor());
    return new Failures(filter, span, page.whole(), page.groups(), older, types);
  }

  private static String given(String field) {
    return field.isEmpty() ? null : field;
  }

  public static Spark spark(FailureGroup group) {
    return new Spark(group.spark());
  }
}
