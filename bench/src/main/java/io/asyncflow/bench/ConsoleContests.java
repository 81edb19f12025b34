package io.asyncflow.bench;

import io.asyncflow.bench.console.BesideMeasure;
import io.asyncflow.bench.console.CancellingBulk;
import io.asyncflow.bench.console.Company;
import io.asyncflow.bench.console.HoldsBeside;
import io.asyncflow.bench.console.OpenPages;
import io.asyncflow.bench.console.PageWeights;
import io.asyncflow.bench.console.RestedRequests;
import io.asyncflow.bench.console.Sights;
import io.asyncflow.bench.console.Weight;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.contest.Contest;
import io.asyncflow.bench.flow.Requests;
import io.asyncflow.bench.measure.CallCost;
import io.asyncflow.bench.measure.Latency;
import io.asyncflow.bench.measure.Latency.Limit;
import io.asyncflow.bench.option.BenchOptions;
import io.asyncflow.bench.option.Part;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** The contests of the console, on two servers: one has next to nothing, and the other much. */
final class ConsoleContests {

  /** With eight stages each, the types are 160 places that the overview looks at. */
  private static final int OTHER_TYPES = 19;

  private static final Duration OVERVIEW_EVERY = Duration.ofSeconds(2);
  private static final Duration SEARCH_EVERY = Duration.ofSeconds(5);

  private final Contests contests;
  private final BenchOptions options;
  private Sights few;
  private Sights many;

  ConsoleContests(Contests contests, BenchOptions options) {
    this.contests = contests;
    this.options = options;
  }

  List<Callable<Contest<?>>> all() {
    return List.of(this::pages, this::weights, this::calls, this::overview, this::beside);
  }

  /** Made once: it takes its time. */
  private void makeSights() throws Exception {
    few = Sights.one(contests.startCluster("console_few", 1));
    many =
        Sights.many(
            contests.startCluster("console_many", 1),
            options.backlog(),
            OTHER_TYPES,
            options.seenWorkers(),
            options.seenChildren());
  }

  private Contest<Histogram> pages() throws Exception {
    makeSights();
    List<Requests> all = new ArrayList<>();
    List<Limit> limits = new ArrayList<>();
    for (int i = 0; i < many.pages().size(); i++) {
      Requests page = many.page(many.pages().get(i));
      all.add(few.page(few.pages().get(i)));
      all.add(page);
      limits.add(Limit.millis(page, 95, 10));
    }
    return contest(
        "pages", "pages again and again, whose numbers are read at most once in 2 s", all, limits);
  }

  private Contest<Map<String, Integer>> weights() {
    return new Contest<>(
        Part.CONSOLE,
        "console-weights",
        "Console: HTML of the same pages",
        1,
        1,
        List.of(new PageWeights(many)),
        new Weight(20));
  }

  private Contest<Histogram> calls() {
    List<Requests> all = new ArrayList<>();
    List<Limit> limits = new ArrayList<>();
    add(50, Sights::searchesById, all, limits);
    add(50, Sights::searchesByJob, all, limits);
    add(50, searches("of a user", "user:user-%d"), all, limits);
    add(
        50,
        searches("by status and stage", "type:bench_seen status:failed stage:s%d"),
        all,
        limits);
    add(300, searches("looking back", "type:bench_seen retries>3"), all, limits);
    add(300, searches("by text", "type:bench_seen text:nothing"), all, limits);
    add(50, Sights::taskPages, all, limits);
    add(500, Sights::previews, all, limits);
    return contest("calls", "searches, tasks and previews, each read anew", all, limits);
  }

  private static Function<Sights, Requests> searches(String what, String q) {
    return sights -> sights.searches(what, q);
  }

  private void add(
      double millis, Function<Sights, Requests> requests, List<Requests> all, List<Limit> limits) {
    Requests subject = requests.apply(many);
    all.add(requests.apply(few));
    all.add(subject);
    limits.add(Limit.millis(subject, 95, millis));
  }

  private Contest<Histogram> contest(
      String key, String title, List<Requests> all, List<Limit> limits) {
    return new Contest<>(
        Part.CONSOLE,
        "console-" + key,
        "Console: " + title,
        Math.max(1, options.holds() / 2),
        options.holds(),
        all,
        new Latency("console", limits));
  }

  private Contest<Histogram> overview() {
    Duration rest = options.overviewRest();
    RestedRequests subject = new RestedRequests(many.overviews(), rest);
    return new Contest<>(
        Part.CONSOLE,
        "console-overview",
        "Console: the first look at the overview after a while",
        1,
        2,
        List.of(subject, new RestedRequests(few.overviews(), rest)),
        new Latency("console", List.of(Limit.millis(subject, 50, 120))));
  }

  private Contest<CallCost> beside() throws Exception {
    few.close();
    int viewers = options.viewers();
    HoldsBeside overviews =
        beside(
            new OpenPages(
                many,
                viewers + " overviews are open",
                IntStream.range(0, viewers).mapToObj(viewer -> "?viewer=" + viewer).toList(),
                OVERVIEW_EVERY));
    HoldsBeside searches =
        beside(
            new OpenPages(
                many,
                viewers + " searches are open",
                IntStream.range(0, viewers).mapToObj(many::searchOfUser).toList(),
                SEARCH_EVERY));
    List<Contender<CallCost>> all =
        List.of(beside(Company.none()), overviews, searches, beside(new CancellingBulk(many)));
    return new Contest<>(
        Part.CONSOLE,
        "console-beside",
        "Console: statements, and then holds of single tasks, beside open pages and a bulk",
        Math.max(1, options.idleSeconds() / 2),
        options.idleSeconds(),
        all,
        new BesideMeasure(
            1.1,
            List.of(new BesideMeasure.Limit(overviews, 5), new BesideMeasure.Limit(searches, 40))));
  }

  private HoldsBeside beside(Company company) {
    return new HoldsBeside(many, company);
  }
}
