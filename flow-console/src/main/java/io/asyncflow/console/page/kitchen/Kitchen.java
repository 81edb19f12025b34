package io.asyncflow.console.page.kitchen;

import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.api.stats.FailureGroup;
import io.asyncflow.console.chart.Chart;
import io.asyncflow.console.chart.Spark;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.json.JsonTree;
import io.asyncflow.console.page.Act;
import io.asyncflow.console.page.Bar;
import io.asyncflow.console.page.TypeNames;
import io.asyncflow.console.page.failure.Failures;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** What the kitchen page shows: values that bring each part into each of its states. */
public final class Kitchen {

  /** A moment in the year 2026. */
  public static final long TIME = 1_795_400_000_000L;

  private static final long MINUTE = 60_000;
  private static final int STEPS = 48;

  private Kitchen() {}

  public static List<BoundedCount> counts() {
    return List.of(
        BoundedCount.ZERO,
        BoundedCount.exactly(812),
        BoundedCount.atLeast(1_000),
        BoundedCount.about(412_345),
        BoundedCount.about(9_812_345));
  }

  public static List<Long> durations() {
    return List.of(0L, 812L, 1_204L, 72_000L, 600_000L, 90_000_000L);
  }

  public static List<Spark> sparks() {
    return List.of(
        Spark.flat(STEPS),
        new Spark(wave(1_890)),
        new Spark(LongStream.range(0, STEPS).boxed().toList()));
  }

  private static List<Long> wave(long mean) {
    return LongStream.range(0, STEPS)
        .mapToObj(i -> Math.round(mean * (1 + 0.4 * Math.sin(i / 5.0) + 0.1 * Math.sin(i * 1.7))))
        .toList();
  }

  /** Full, with gaps, and empty. */
  public static List<Chart> charts() {
    List<Long> unknown = Collections.nCopies(STEPS, null);
    Map<String, List<Long>> counts =
        Map.of(
            "finished", wave(1_890),
            "created", wave(1_500),
            "failed", wave(3),
            "retried", withGaps(wave(9)),
            "p50", withGaps(wave(380)),
            "p95", withGaps(wave(1_300)),
            "p99", withGaps(wave(1_700)));
    return List.of(
        Chart.lines("flow", TIME, MINUTE, "finished", "created", counts),
        Chart.bars("failed", TIME, MINUTE, "failed", "retried", counts),
        Chart.band("wait", TIME, MINUTE, counts),
        Chart.band("run", TIME, MINUTE, Map.of("p50", unknown, "p95", unknown, "p99", unknown)));
  }

  private static List<Long> withGaps(List<Long> values) {
    return LongStream.range(0, values.size())
        .mapToObj(i -> i > 18 && i < 24 || i == 25 ? null : values.get((int) i))
        .toList();
  }

  public static List<Bar> bars() {
    return List.of(
        new Bar(List.of(), 0, 0),
        new Bar(
            List.of(
                new Bar.Piece("success", 0, 400),
                new Bar.Piece("failed", 400, 40),
                new Bar.Piece("cancelled", 440, 100)),
            54,
            540),
        new Bar(List.of(new Bar.Piece("success", 0, Bar.WIDTH)), 100, 1_000));
  }

  public static List<Act> acts(Frame frame) {
    Act act = new Act("task_retry", address(frame), true, null, false, false, null);
    return List.of(
        act,
        new Act("task_cancel", address(frame), true, null, true, true, null),
        act.unless(true, "why_not.succeeded"));
  }

  /** Texts of strangers. */
  public static List<String> strangers() {
    return List.of("ada", "", "\u202Egnp.exe", "<script>alert(1)</script>", "x".repeat(128));
  }

  public static List<JsonTree> documents() {
    return List.of(
        JsonTree.of(
            "{\"text\":\"Call me Ishmael.\",\"number\":1234567890123456789,\"api_key\":\"sk-4711\","
                + "\"voice\":{\"speed\":1.0,\"style\":null},\"parts\":[1,2,{}]}"),
        JsonTree.of("no JSON"),
        JsonTree.of(""));
  }

  public static Failures failures() {
    FailureGroup group =
        new FailureGroup(
            "9f3c0a1b2c3d4e5f",
            "tts",
            "merge",
            "TIMED_OUT",
            1_183,
            3,
            TIME,
            TIME,
            "no tape in drive 3",
            "249835547751612417_tts_task_1",
            wave(48));
    return new Failures(
        new Failures.Filter("", "", "", ""),
        24 * 60 * MINUTE,
        false,
        List.of(group),
        null,
        TypeNames.NONE);
  }

  private static String address(Frame frame) {
    return frame.to("/_kitchen");
  }
}
