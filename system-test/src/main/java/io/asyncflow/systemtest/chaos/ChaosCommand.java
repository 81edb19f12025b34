package io.asyncflow.systemtest.chaos;

import io.asyncflow.dev.command.Asyncflow;
import io.asyncflow.dev.command.option.WholeNumber;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.systemtest.chaos.ChaosRun.Outcome;
import io.asyncflow.systemtest.chaos.ChaosSchedules.Findings;
import io.asyncflow.systemtest.chaos.Disaster.Target;
import io.asyncflow.systemtest.check.Verdict;
import io.asyncflow.systemtest.evidence.Executions;
import io.asyncflow.systemtest.invariant.Invariant;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code ./asyncflow chaos}: runs real processes into trouble and prints what they did wrong. */
@Command(
    name = "chaos",
    description =
        "Creates three-stage tasks on real servers and workers while these, the database and Redis are"
            + " killed, stopped and terminated, settings change and the family's tables roll, and"
            + " holds what happened to the invariants.",
    exitCodeList = {
      "0:no invariant was violated",
      "1:one was, and the history is left where the last line says; or a run of --kill-node failed",
      "2:not understood"
    })
public final class ChaosCommand implements Callable<Integer> {

  private static final int VIOLATED = 1;

  @Option(
      names = "--tasks",
      paramLabel = "N",
      defaultValue = "5000",
      converter = WholeNumber.FromOne.class,
      description = "how many (${DEFAULT-VALUE})")
  private int tasks;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      converter = WholeNumber.FromZero.class,
      description = "of fifty tasks each beside them (one for each thousand tasks)")
  private Integer jobs;

  @Option(
      names = "--schedules",
      paramLabel = "N",
      converter = WholeNumber.FromZero.class,
      description = "of every policy beside them (one for each hundred tasks)")
  private Integer schedules;

  @Option(
      names = "--seed",
      paramLabel = "S",
      converter = Seed.class,
      description = "of the faults and of the tasks' behaviour (a random one, which is printed)")
  private Long seed;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      converter = WholeNumber.FromOne.class,
      description =
          "spread creates and faults over so many minutes at least (2, or less for less tasks: the"
              + " faults then come faster, for a busy machine too fast)")
  private Integer minutes;

  @Option(
      names = "--servers",
      paramLabel = "N",
      defaultValue = "3",
      converter = WholeNumber.FromOne.class,
      description = "flowsvr processes (${DEFAULT-VALUE})")
  private int servers;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "6",
      converter = WholeNumber.FromOne.class,
      description =
          "worker processes (${DEFAULT-VALUE}), one for the tasks of a type with default times, and"
              + " one for those of schedules")
  private int workers;

  @ArgGroup(exclusive = false)
  private OwnDatabase own;

  /** A database that chaos does not start. */
  private static final class OwnDatabase {
    @Option(
        names = "--mysql",
        paramLabel = "URL",
        required = true,
        description =
            "a database of yours (FLOW_MYSQL_USER, FLOW_MYSQL_PASSWORD), of one host or of several: a"
                + " schema of chaos' own is made there, and dropped at the end")
    private String url;

    @Option(
        names = "--kill-node",
        paramLabel = "COMMAND",
        description =
            "a shell command that kills one node of that database and brings it back: one more of"
                + " the faults")
    private String killNode;
  }

  private final Map<String, String> environment;

  /**
   * @param environment where user and password of a given database are
   */
  ChaosCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  /**
   * Runs the chaos.
   *
   * @param arguments {@code chaos}, and what {@code chaos --help} says
   */
  public static void main(String[] arguments) {
    System.exit(Asyncflow.run(arguments, out -> new Object[] {new ChaosCommand(System.getenv())}));
  }

  @Override
  public Integer call() {
    return run(plan());
  }

  /** The database of the user's, if one is given. */
  Optional<DatabaseEndpoint> given() {
    return Optional.ofNullable(own).map(it -> DatabaseEndpoint.given(it.url, environment));
  }

  Optional<String> killNode() {
    return Optional.ofNullable(own).map(it -> it.killNode);
  }

  /** The faults of a database that is not the user's, and those that need a command. */
  List<Disaster> leftOut() {
    return Stream.of(Disaster.values())
        .filter(
            one ->
                one.target() == Target.DATABASE
                    || one.target() == Target.NODE && killNode().isEmpty())
        .toList();
  }

  /** Any number. */
  static final class Seed implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      try {
        return Long.valueOf(text);
      } catch (NumberFormatException e) {
        throw new TypeConversionException("wants a number, not " + text);
      }
    }
  }

  /** What the options ask for. */
  ChaosPlan plan() {
    long ofFaults = seed != null ? seed : ThreadLocalRandom.current().nextLong(1_000_000);
    ChaosPlan plan = ChaosPlan.of(tasks, ofFaults).on(servers, workers);
    plan = jobs == null ? plan : plan.with(jobs);
    plan = schedules == null ? plan : plan.withSchedules(schedules);
    return minutes == null ? plan : plan.within(Duration.ofMinutes(minutes));
  }

  private int run(ChaosPlan plan) {
    Optional<DatabaseEndpoint> given = given(); // refused before anything is said
    say(
        "seed %d: %d three-stage tasks, %d jobs and %d schedules over %d s or more, %d servers, %d"
            + " workers, one for the type with default times and one for the schedules, a fault"
            + " every %.1f to %.1f s",
        plan.seed(),
        plan.tasks(),
        plan.jobs(),
        plan.schedules(),
        plan.load().toSeconds(),
        plan.servers(),
        plan.workers(),
        plan.calmAtLeast().toMillis() / 1e3,
        plan.calmAtMost().toMillis() / 1e3);
    given.ifPresent(database -> say("on the database %s; left out: %s", database, leftOut()));
    long start = System.nanoTime();
    ChaosRun run =
        new ChaosRun(plan, what -> say("%6.1f s  %s", (System.nanoTime() - start) / 1e9, what));
    Outcome outcome =
        given.map(database -> run.run(database, killNode().orElse(null))).orElseGet(run::run);
    report(outcome);
    if (outcome.failures() > 0) {
      say("%n%d of the runs of --kill-node failed.", outcome.failures());
    }
    if (outcome.isClean()) {
      return outcome.failures() == 0 ? 0 : VIOLATED;
    }
    say("%nThe history and the logs are in %s.", outcome.directory());
    return VIOLATED;
  }

  private static void report(Outcome outcome) {
    Verdict verdict = outcome.verdict();
    Executions executions = verdict.executions();
    double seconds = outcome.elapsed().toMillis() / 1e3;
    say("%n%d tasks in %.0f s: %.0f/s", verdict.tasks(), seconds, verdict.tasks() / seconds);
    say("jobs: %s", outcome.jobs());
    say("faults: %s", outcome.disasters());
    say(
        "the family rolled to table %d, and is drained up to table %d",
        outcome.position().end(), outcome.position().begin());
    say(
        "%d executions; %d of them repeated, %d met by a fault, %d repeated without having met one",
        executions.all(),
        executions.repeated(),
        executions.inFlight(),
        executions.repeatedWithoutFault());
    say("%nviolations  invariant");
    System.out.print(verdict.table());
    Verdict onDefaults = outcome.verdictOnDefaults();
    say(
        "%nbeside them %d tasks of a type with default times: %d executions, %d of them repeated, %d"
            + " repeated without having met a fault, %d violations",
        onDefaults.tasks(),
        onDefaults.executions().all(),
        onDefaults.executions().repeated(),
        onDefaults.executions().repeatedWithoutFault(),
        onDefaults.violations().size());
    onDefaults.violations().forEach(System.out::println);
    Findings ofSchedules = outcome.ofSchedules();
    say(
        "%nbeside them %d schedules with %d fires, the latest %d ms after its time: %d violations",
        ofSchedules.schedules(),
        ofSchedules.fires(),
        ofSchedules.lateness().toMillis(),
        ofSchedules.violations().size());
    ofSchedules.violations().forEach(System.out::println);
    say("%n%s", lastLine(outcome));
  }

  /** What counts most, of the tasks of both types and of the schedules. */
  static String lastLine(Outcome outcome) {
    return format(
        "%d lost, %d phantom, %d duplicate committed results, %d stale reports accepted, %d stuck,"
            + " %d fires doubled, %d without a fate",
        outcome.count(Invariant.CREATED_IS_FINISHED),
        outcome.count(Invariant.NOTHING_FROM_NOWHERE),
        outcome.count(Invariant.ONE_RESULT_A_STAGE),
        outcome.count(Invariant.NO_STALE_REPORT),
        outcome.count(Invariant.HEALED_MEANS_DRAINED),
        outcome.count(Invariant.ONE_RUN_A_FIRE),
        outcome.count(Invariant.ONE_FATE_A_FIRE_TIME));
  }

  private static void say(String format, Object... values) {
    System.out.println(format(format, values));
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
