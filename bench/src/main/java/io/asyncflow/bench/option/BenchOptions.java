package io.asyncflow.bench.option;

import com.sun.management.UnixOperatingSystemMXBean;
import io.asyncflow.dev.command.option.WholeNumber;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What the command line asks for. */
public final class BenchOptions {

  private static final int SMOKE_LIVES = 100;
  private static final int SMOKE_ROWS = 2_000;

  private final Map<String, String> environment;

  @Option(names = "--peers", description = "the peers take part, in the same rounds")
  private boolean peers;

  @Option(
      names = "--n",
      paramLabel = "N",
      converter = WholeNumber.FromOne.class,
      description = "whole lives a round (50000); the other parts follow from it")
  private Integer n;

  @Option(
      names = "--rounds",
      paramLabel = "R",
      converter = WholeNumber.FromOne.class,
      description = "rounds that count, after a warm-up round (3)")
  private Integer rounds;

  @Option(
      names = "--only",
      paramLabel = "LIST",
      split = ",",
      hideParamSyntax = true,
      converter = Part.Key.class,
      completionCandidates = Part.Keys.class,
      description = "some of the parts: ${COMPLETION-CANDIDATES}")
  private SortedSet<Part> only;

  @Option(
      names = "--backlog",
      paramLabel = "ROWS",
      converter = Rows.class,
      description = "rows of the largest table (2M); 10k, 2M and 10M are understood")
  private Integer backlog;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      defaultValue = "2",
      converter = WholeNumber.FromOne.class,
      description = "how long the soak lasts (${DEFAULT-VALUE})")
  private int minutes;

  @Option(
      names = "--smoke",
      description = "everything once and with next to nothing, to see that it works")
  private boolean smoke;

  @ArgGroup private OtherDatabase database;

  @Option(
      names = "--against",
      paramLabel = "CHECKOUT",
      description =
          "another checkout of Asyncflow, built: in the parts lives, creates, latency and"
              + " steady, its server and that of this checkout take turns, and nothing else takes part")
  private Path against;

  @Option(
      names = "--server-jvm",
      paramLabel = "OPTIONS",
      split = " +",
      hideParamSyntax = true,
      description = "more options for flowsvr's JVM, separated by spaces")
  private List<String> serverJvm = List.of();

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description =
          "where the report goes as Markdown, with its charts beside it (bench/target/bench.md)")
  private Path report;

  /** At most one of them; the embedded MySQL without either. */
  private static final class OtherDatabase {
    @Option(
        names = "--mariadb",
        description =
            "the embedded MariaDB without a binary log, which needs no library of the system, instead"
                + " of the embedded MySQL 8.0.33 with one")
    private boolean mariaDb;

    @Option(
        names = "--mysql",
        paramLabel = "URL",
        description =
            "a database of yours (FLOW_MYSQL_USER, FLOW_MYSQL_PASSWORD): a schema of the bench's own"
                + " is made there, and dropped at the end")
    private String url;
  }

  /**
   * Options that are not given yet.
   *
   * @param environment where user and password of a given database are
   */
  public BenchOptions(Map<String, String> environment) {
    this.environment = environment;
  }

  /** Whether the peers take part. */
  public boolean peers() {
    return peers;
  }

  /** Rounds that count, after the warm-up. */
  public int rounds() {
    return rounds != null ? rounds : smoke ? 1 : 3;
  }

  /** What to measure, in the order of a whole run. */
  public List<Part> parts() {
    return only == null ? List.of(Part.values()) : List.copyOf(only);
  }

  /** Rows of the largest table. */
  public int backlog() {
    return backlog != null ? backlog : smoke ? SMOKE_ROWS : 2_000_000;
  }

  /** Whether it is only to be seen that everything works. */
  public boolean smoke() {
    return smoke;
  }

  public DatabaseChoice database() {
    if (database == null) {
      return DatabaseChoice.MYSQL8;
    }
    return database.mariaDb ? DatabaseChoice.MARIADB : DatabaseChoice.GIVEN;
  }

  /** The database of the user's, if that is the choice. */
  public DatabaseEndpoint given() {
    return DatabaseEndpoint.given(database.url, environment);
  }

  /** Options for flowsvr's JVM beside its usual ones, as a flight recording. */
  public List<String> serverJvm() {
    return serverJvm;
  }

  /** The checkout whose server is the yardstick of this one's, if there is one. */
  public Optional<Checkout> against() {
    return Optional.ofNullable(against)
        .map(path -> new Checkout(path.toAbsolutePath().normalize()));
  }

  /** The Markdown file to write, if another one than {@code bench/target/bench.md} is wanted. */
  public Optional<Path> report() {
    return Optional.ofNullable(report).map(Path::toAbsolutePath);
  }

  /** Whole lives a round; everything else follows from it. */
  public int lives() {
    return n != null ? n : smoke ? SMOKE_LIVES : 50_000;
  }

  public int creates() {
    return Math.max(1, lives() / 2);
  }

  public int arrivals() {
    return Math.min(100, Math.max(5, lives() / 200));
  }

  /** Tasks of a round of a steady load. */
  public int steady() {
    return Math.min(10_000, Math.max(50, lives() / 5));
  }

  public int holds() {
    return Math.min(150, Math.max(5, lives() / 100));
  }

  /** How long an old snapshot is open. */
  public Duration snapshot() {
    return Duration.ofMillis(Math.min(15_000, lives()));
  }

  /** How long the load of the soak lasts. */
  public Duration soak() {
    return smoke ? Duration.ofSeconds(3) : Duration.ofMinutes(minutes);
  }

  /** How long calls are measured before a table is dropped beside them. */
  public Duration beforeDrop() {
    return Duration.ofMillis(Math.min(20_000, Math.max(1_000, lives())));
  }

  public int idleWorkers() {
    return Math.min(200, Math.max(5, lives() / 100));
  }

  public int idleSeconds() {
    return Math.min(20, Math.max(1, lives() / 1000));
  }

  /** Idle workers on three servers, of one process: as many as may have three files open each. */
  public int fleet() {
    long files =
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
            ? system.getMaxFileDescriptorCount()
            : Long.MAX_VALUE;
    return (int) Math.min(Math.min(10_000, files / 3), Math.max(6, lives() / 5));
  }

  /** A round of them: what they do once a minute is in it. */
  public int fleetSeconds() {
    return Math.min(60, Math.max(1, lives() / 800));
  }

  /** Types that holds are parked for. */
  public int types() {
    return Math.min(200, Math.max(5, lives() / 250));
  }

  /** Types of which a task is created on one server and started on another. */
  public int typeStarts() {
    return Math.min(50, types());
  }

  /** How long a hold is parked before it is answered: for a worker, a type's default of 10 s. */
  public Duration typeWait() {
    return Duration.ofMillis(Math.min(10_000, Math.max(1_000, lives() / 5)));
  }

  /** Schedules that are saved in a round and are not due. */
  public int schedules() {
    return Math.min(100_000, Math.max(100, 2 * lives()));
  }

  /** Schedules that fire on one second. */
  public int fires() {
    return Math.min(5_000, Math.max(5, lives() / 10));
  }

  /** From the first save of such schedules to their fire time. */
  public Duration fireLead() {
    return Duration.ofMillis(Math.min(50_000, Math.max(8_000, 10L * lives())));
  }

  /** Workers that the console shows. */
  public int seenWorkers() {
    return Math.min(1_000, Math.max(5, lives() / 50));
  }

  /** Children of the job that the console shows. */
  public int seenChildren() {
    return Math.min(100_000, Math.max(100, 2 * lives()));
  }

  /** Pages of the console that are open at the same time. */
  public int viewers() {
    return Math.min(50, Math.max(5, lives() / 1000));
  }

  /** After which a server makes the overview anew before it answers; short of that in a smoke. */
  public Duration overviewRest() {
    return Duration.ofSeconds(smoke ? 1 : 31);
  }

  /** What makes the JVMs compile the way of a call. */
  public int idleWarmUpTasks() {
    return Math.min(20_000, lives());
  }

  /** And then what an idle one does besides, now and then. */
  public int idleWarmUpSeconds() {
    return 6 * idleSeconds();
  }

  /** Reads a number of rows, in thousands or millions too. */
  static final class Rows implements ITypeConverter<Integer> {
    private static final Pattern ROWS = Pattern.compile("([1-9]\\d{0,7})([kM]?)");
    private static final long MOST = 100_000_000;

    @Override
    public Integer convert(String text) {
      Matcher matcher = ROWS.matcher(text);
      if (!matcher.matches()) {
        throw new TypeConversionException("wants a number of rows such as 2M, not " + text);
      }
      long unit =
          switch (matcher.group(2)) {
            case "k" -> 1_000;
            case "M" -> 1_000_000;
            default -> 1;
          };
      return (int) Math.min(MOST, Long.parseLong(matcher.group(1)) * unit);
    }
  }
}
