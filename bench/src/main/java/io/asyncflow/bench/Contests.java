package io.asyncflow.bench;

import io.asyncflow.bench.bed.Backlog;
import io.asyncflow.bench.bed.Cluster;
import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.contest.Contest;
import io.asyncflow.bench.flow.BacklogHolds;
import io.asyncflow.bench.flow.CallsBesideDrop;
import io.asyncflow.bench.flow.CallsBesideNothing;
import io.asyncflow.bench.flow.IdleFleet;
import io.asyncflow.bench.flow.IdleWorkers;
import io.asyncflow.bench.flow.Requests;
import io.asyncflow.bench.flow.SnapshotHolds;
import io.asyncflow.bench.flow.Soak;
import io.asyncflow.bench.flow.TokenChecks;
import io.asyncflow.bench.flow.TypesOnServers;
import io.asyncflow.bench.measure.CallCost;
import io.asyncflow.bench.measure.Comparison;
import io.asyncflow.bench.measure.FleetCost;
import io.asyncflow.bench.measure.FleetMeasure;
import io.asyncflow.bench.measure.IdleCost;
import io.asyncflow.bench.measure.IdleMeasure;
import io.asyncflow.bench.measure.Latency;
import io.asyncflow.bench.measure.Latency.Limit;
import io.asyncflow.bench.measure.PerSecond;
import io.asyncflow.bench.measure.ShortTime;
import io.asyncflow.bench.measure.SoakMeasure;
import io.asyncflow.bench.measure.SoakRun;
import io.asyncflow.bench.measure.StartCost;
import io.asyncflow.bench.measure.StartMeasure;
import io.asyncflow.bench.measure.TypesMeasure;
import io.asyncflow.bench.option.BenchOptions;
import io.asyncflow.bench.option.Checkout;
import io.asyncflow.bench.option.Part;
import io.asyncflow.bench.schedule.DbSchedulerSchedules;
import io.asyncflow.bench.schedule.FireMeasure;
import io.asyncflow.bench.schedule.FireRun;
import io.asyncflow.bench.schedule.FiresOnOneSecond;
import io.asyncflow.bench.schedule.FlowSchedules;
import io.asyncflow.bench.schedule.JobRunrSchedules;
import io.asyncflow.bench.schedule.ManySchedules;
import io.asyncflow.bench.schedule.ManySchedulesMeasure;
import io.asyncflow.bench.schedule.QuartzSchedules;
import io.asyncflow.bench.schedule.ScheduleSystem;
import io.asyncflow.bench.system.DbSchedulerSystem;
import io.asyncflow.bench.system.FlowPollers;
import io.asyncflow.bench.system.FlowSystem;
import io.asyncflow.bench.system.FlowSystem.Fleet;
import io.asyncflow.bench.system.JobRunrSystem;
import io.asyncflow.bench.system.RawSystem;
import io.asyncflow.bench.system.SeedSystem;
import io.asyncflow.bench.system.TaskSystem;
import io.asyncflow.bench.work.Arrivals;
import io.asyncflow.bench.work.CreateToStart;
import io.asyncflow.bench.work.JobRuns;
import io.asyncflow.bench.work.RawBatchLives;
import io.asyncflow.bench.work.RunsWithKey;
import io.asyncflow.bench.work.ServerStarts;
import io.asyncflow.bench.work.SteadyLoad;
import io.asyncflow.bench.work.TimedWork;
import java.io.PrintStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;
import javax.sql.DataSource;
import org.HdrHistogram.Histogram;

/** What is held on a {@link TestBed}: who takes part, with how much, and what is aimed at. */
final class Contests {

  /**
   * Conductor 3.32, a server over REST on MySQL like ours: tasks a second, recorded once on a
   * machine with two cores. It takes minutes to start, so it is no part of a run.
   */
  private static final double CONDUCTOR = 46;

  /** So many rounds: on two cores the JIT is busy with a server for about half a minute. */
  private static final int WARM_UP = 5;

  /**
   * Each connection of flowsvr remembers its last hundred statements, and those over other tables
   * are others: with some 10 KiB a statement it takes hundreds of rolls until the caches are full.
   */
  private static final double STATEMENT_CACHES_MIB = 16;

  /** What collections at slightly different moments differ by. */
  private static final double NOISE_MIB = 4;

  /** As many nodes as each peer has. */
  private static final int SCHEDULE_SERVERS = 3;

  private static final int ACCESS_KEYS = 1_000;
  private static final int TOKEN_CHECKS = 100_000;
  private static final int SMALL_BACKLOG = 10_000;
  private static final int DELAYED = 1_000_000;

  private static final String TWO_CHECKOUTS = "the server of this checkout, and that of another";

  private static final String TITLE_OF_STEADY =
      "Steady load: tasks created one by one, " + SteadyLoad.RATE + " a second at random moments";

  private final TestBed bed;
  private final BenchOptions options;
  private final Checkout checkout;
  private final PrintStream out;
  private Backlog large;

  Contests(TestBed bed, BenchOptions options, Checkout checkout, PrintStream out) {
    this.bed = bed;
    this.options = options;
    this.checkout = checkout;
    this.out = out;
  }

  /** What makes the contests of a part, each with what it needs: types, tables, rows. */
  List<Callable<Contest<?>>> of(Part part) {
    boolean isPair = options.against().isPresent();
    return switch (part) {
      case IDLE -> List.of(this::idle);
      case TYPES -> List.of(this::types);
      case WORKERS -> List.of(this::workers);
      case SCHEDULES -> List.of(this::manySchedules, this::fires);
      case LIVES ->
          List.of(isPair ? () -> against(part, options.lives(), TimedWork::lives) : this::lives);
      case EVENTS -> List.of(this::events);
      case ACCESS -> List.of(this::access, this::tokenChecks);
      case CREATES ->
          List.of(
              isPair
                  ? () -> against(part, options.creates(), TimedWork::singleCreates)
                  : this::creates);
      case BULK -> List.of(this::bulk);
      case PROCESS -> List.of(this::process);
      case POLLERS -> List.of(this::pollers);
      case JOBS -> List.of(this::jobs);
      case LATENCY -> List.of(isPair ? this::latencyAgainst : this::latency);
      case STEADY -> List.of(isPair ? this::steadyAgainst : this::steady);
      case START -> List.of(this::starts);
      case BACKLOG -> List.of(this::backlog);
      case LISTS -> List.of(this::lists);
      case CONSOLE -> new ConsoleContests(this, options).all();
      case DROP -> List.of(this::drop);
      case SOAK -> List.of(this::soak);
    };
  }

  private Contest<IdleCost> idle() {
    return new Contest<>(
        Part.IDLE,
        "Idle: warm long-polling workers of one type, no tasks, "
            + options.idleSeconds()
            + " s a round",
        options.idleWarmUpSeconds(),
        options.idleSeconds(),
        List.of(new IdleWorkers(bed, options.idleWorkers(), options.idleWarmUpTasks())),
        new IdleMeasure(2, 5));
  }

  private Contest<CallCost> types() throws Exception {
    Cluster cluster = startCluster("types", TypesOnServers.servers());
    return new Contest<>(
        Part.TYPES,
        "Types: holds parked for each of many types on two servers without Redis, "
            + options.idleSeconds()
            + " s a round without tasks",
        options.idleSeconds(),
        List.of(
            new TypesOnServers(
                bed, cluster, options.types(), options.typeStarts(), options.typeWait())),
        new TypesMeasure(25, 100));
  }

  private Contest<FleetCost> workers() throws Exception {
    String heap = IdleFleet.heapMiB(options.fleet()) + "m";
    Cluster cluster = startCluster("workers", IdleFleet.servers(), "-Xms" + heap, "-Xmx" + heap);
    return new Contest<>(
        Part.WORKERS,
        "Workers: warm long-polling workers of many types on three servers without Redis, no tasks, "
            + options.fleetSeconds()
            + " s a round",
        options.fleetSeconds(),
        List.of(new IdleFleet(bed, cluster, options.fleet(), options.typeWait())),
        new FleetMeasure(30, 60, 80));
  }

  private Contest<ManySchedules.Run> manySchedules() throws Exception {
    Cluster cluster = startCluster("schedules", SCHEDULE_SERVERS);
    return new Contest<>(
        Part.SCHEDULES,
        String.format(
            Locale.ROOT,
            "Schedules: %,d more in each round, none due for %d s",
            options.schedules(),
            options.idleSeconds()),
        Math.max(1, options.schedules() / 10),
        options.schedules(),
        List.of(new ManySchedules(bed, cluster, options.idleSeconds())),
        new ManySchedulesMeasure(SCHEDULE_SERVERS, 3, 60, 100));
  }

  private Contest<FireRun> fires() throws Exception {
    FiresOnOneSecond several =
        fires(new FlowSchedules(startCluster("fires", SCHEDULE_SERVERS), ""));
    FiresOnOneSecond one = fires(new FlowSchedules(startCluster("fires_one", 1), ""));
    FiresOnOneSecond now =
        fires(
            new FlowSchedules(
                startCluster("fires_now", SCHEDULE_SERVERS, "flow.schedule.ahead=0s"), "0 s"));
    List<FiresOnOneSecond> contenders = new ArrayList<>(List.of(several, one, now));
    List<FiresOnOneSecond> peers = new ArrayList<>();
    if (options.peers()) {
      DataSource connections = bed.peerConnections();
      peers.add(fires(new DbSchedulerSchedules(connections, "dbs_fires")));
      peers.add(fires(new QuartzSchedules(connections, "QRTZ_BENCH_")));
    }
    contenders.addAll(peers);
    if (options.peers()) {
      // With fewer schedules than the others, so it is not compared.
      contenders.add(fires(new JobRunrSchedules(jobRunr("fires"))));
    }
    return new Contest<>(
        Part.SCHEDULES,
        "fires",
        String.format(Locale.ROOT, "Fires: %,d schedules that fire on one second", options.fires()),
        options.fires(),
        options.fires(),
        contenders,
        new FireMeasure(
            List.of(
                new FireMeasure.Limit(several, 1000),
                new FireMeasure.Limit(one, 1000),
                new FireMeasure.Limit(now, 2500)),
            peers,
            0.5));
  }

  private FiresOnOneSecond fires(ScheduleSystem system) {
    return new FiresOnOneSecond(system, options.fireLead());
  }

  Cluster startCluster(String name, int servers, String... settings) throws Exception {
    return startCluster(name, servers, checkout, settings);
  }

  private Cluster startCluster(String name, int servers, Checkout of, String... settings)
      throws Exception {
    out.printf(Locale.ROOT, "%nStarting %d more flowsvr for %s ...%n", servers, name);
    return bed.startCluster(name, servers, options, of, settings);
  }

  private Contest<Duration> lives() throws SQLException {
    RawBatchLives raw = new RawBatchLives(bed.rawTable("raw_life"));
    TimedWork flow = TimedWork.lives(FlowSystem.of(bed, "bench_life", Fleet.BUSY));
    TimedWork seeds = TimedWork.lives(new SeedSystem(bed.rawTable("seed_life"), bed.redis()));
    List<Contender<Duration>> contenders = new ArrayList<>(List.of(raw, flow, seeds));
    List<Comparison> comparisons = new ArrayList<>();
    comparisons.add(new Comparison(flow, raw, 0.55));
    comparisons.add(new Comparison(flow, seeds, 5));
    if (options.peers()) {
      TimedWork dbScheduler = TimedWork.lives(dbScheduler("life"));
      TimedWork jobRunr = TimedWork.lives(jobRunr("life"));
      contenders.addAll(List.of(dbScheduler, jobRunr));
      comparisons.add(new Comparison(flow, dbScheduler, 2));
      comparisons.add(new Comparison(flow, jobRunr, 5));
    }
    String conductor = String.format(Locale.ROOT, "Conductor's recorded %.0f/s", CONDUCTOR);
    return new Contest<>(
        Part.LIVES,
        "Whole lives: tasks created in bulk by "
            + TimedWork.LIFE_CREATORS
            + " clients, held, finished",
        WARM_UP * options.lives(),
        options.lives(),
        contenders,
        new PerSecond(
            "lives", comparisons, List.of(new PerSecond.Record(flow, conductor, CONDUCTOR, 30))));
  }

  /** The servers of this checkout and of another, each on a schema of its own. */
  private Contest<Duration> against(Part part, int tasks, Function<TaskSystem, TimedWork> work)
      throws Exception {
    String unit = part.name().toLowerCase(Locale.ROOT);
    Fleet fleet = part == Part.LIVES ? Fleet.BUSY : Fleet.PLAIN;
    TimedWork before = work.apply(systemOf("before", unit, fleet, other()));
    TimedWork now = work.apply(systemOf("now", unit, fleet, checkout));
    return new Contest<>(
        part,
        part.name().charAt(0) + unit.substring(1) + ": " + TWO_CHECKOUTS,
        WARM_UP * tasks,
        tasks,
        List.of(before, now),
        new PerSecond(unit, List.of(new Comparison(now, before, 0.98))));
  }

  private Contest<Histogram> latencyAgainst() throws Exception {
    CreateToStart before = new CreateToStart(systemOf("before", "latency", Fleet.PLAIN, other()));
    CreateToStart now = new CreateToStart(systemOf("now", "latency", Fleet.PLAIN, checkout));
    return new Contest<>(
        Part.LATENCY,
        "Create to start on an idle system: " + TWO_CHECKOUTS,
        Math.min(10, options.arrivals()),
        options.arrivals(),
        List.of(before, now),
        new Latency("create to start", List.of(Limit.times(now, 50, 1, before))));
  }

  private Checkout other() {
    return options.against().orElseThrow();
  }

  private FlowSystem systemOf(String when, String purpose, Fleet fleet, Checkout of)
      throws Exception {
    Cluster server = startCluster(when + "_" + purpose, 1, of);
    return FlowSystem.of(server, when + ", " + of.commit(), "bench_" + purpose, fleet);
  }

  private Contest<Duration> events() {
    TimedWork none = TimedWork.lives(FlowSystem.withEvents(bed, "bench_untold", 0));
    TimedWork ends = TimedWork.lives(FlowSystem.withEvents(bed, "bench_ends", 1));
    TimedWork all = TimedWork.lives(FlowSystem.withEvents(bed, "bench_told", 2));
    return new Contest<>(
        Part.EVENTS,
        "Events: whole lives without events, with that of the end, and with all three",
        WARM_UP * options.lives(),
        options.lives(),
        List.of(none, ends, all),
        new PerSecond(
            "lives", List.of(new Comparison(ends, none, 0.85), new Comparison(all, none, 0.65))));
  }

  private Contest<Duration> access() throws Exception {
    String key = "flow.access.api-key=" + RunsWithKey.SERVER_KEY;
    RunsWithKey one = RunsWithKey.ofTheServer(startCluster("key", 1, key));
    RunsWithKey many =
        RunsWithKey.ofMany(startCluster("keys", 1, key, "flow.access.mode=keys"), ACCESS_KEYS);
    return new Contest<>(
        Part.ACCESS,
        "Access: tasks held, reported and given a heartbeat, a call each, by "
            + RunsWithKey.CLIENTS
            + " clients",
        options.lives() / 2,
        options.lives() / 2,
        List.of(one, many),
        new PerSecond("runs", List.of(new Comparison(many, one, 0.98))));
  }

  private Contest<Histogram> tokenChecks() {
    return new Contest<>(
        Part.ACCESS,
        "Access: the check of a token, in one process without a server",
        WARM_UP * TOKEN_CHECKS,
        TOKEN_CHECKS,
        List.of(new TokenChecks(ACCESS_KEYS)),
        new ShortTime("check of a token", 50));
  }

  private Contest<Duration> creates() throws SQLException {
    return besidePeers(
        Part.CREATES,
        "Single creates: tasks created one by one by " + TimedWork.SINGLE_CREATORS + " clients",
        WARM_UP * options.creates(),
        options.creates(),
        TimedWork::singleCreates,
        FlowSystem.of(bed, "bench_create", Fleet.PLAIN),
        new Goal("creates", 1));
  }

  private Contest<Duration> bulk() throws SQLException {
    return besidePeers(
        Part.BULK,
        "Bulk creates: many tasks a call, by " + TimedWork.BULK_CREATORS + " clients",
        options.lives(),
        options.lives(),
        TimedWork::bulkCreates,
        FlowSystem.of(bed, "bench_bulk", Fleet.PLAIN),
        new Goal("creates in bulk", 0));
  }

  private Contest<Duration> process() throws SQLException {
    return besidePeers(
        Part.PROCESS,
        "Processing: tasks that are there already, held and finished",
        options.creates(),
        options.creates(),
        TimedWork::processing,
        FlowSystem.of(bed, "bench_process", Fleet.BUSY),
        new Goal("processed", 0));
  }

  /** What is counted, and the aim: so many times what raw JDBC does. */
  private record Goal(String unit, double timesRaw) {}

  /** The same work by raw JDBC, by flowsvr and, where they are wanted, by its peers. */
  private Contest<Duration> besidePeers(
      Part part,
      String title,
      int warmUp,
      int tasks,
      Function<TaskSystem, Contender<Duration>> work,
      FlowSystem flowsvr,
      Goal goal)
      throws SQLException {
    String purpose = part.name().toLowerCase(Locale.ROOT);
    Contender<Duration> raw = work.apply(new RawSystem(bed.rawTable("raw_" + purpose)));
    Contender<Duration> flow = work.apply(flowsvr);
    List<Contender<Duration>> contenders = new ArrayList<>(List.of(raw, flow));
    List<Comparison> comparisons = new ArrayList<>();
    comparisons.add(new Comparison(flow, raw, goal.timesRaw()));
    if (options.peers()) {
      for (TaskSystem peer : List.of(dbScheduler(purpose), jobRunr(purpose))) {
        contenders.add(work.apply(peer));
        comparisons.add(new Comparison(flow, contenders.get(contenders.size() - 1), 0));
      }
    }
    return new Contest<>(
        part, title, warmUp, tasks, contenders, new PerSecond(goal.unit(), comparisons));
  }

  private Contest<Duration> pollers() {
    TimedWork one = TimedWork.processing(new FlowPollers(bed, "bench_poll1", 1));
    TimedWork some = TimedWork.processing(new FlowPollers(bed, "bench_poll16", 16));
    TimedWork many = TimedWork.processing(new FlowPollers(bed, "bench_poll64", 64));
    return new Contest<>(
        Part.POLLERS,
        "Pollers: the same through flowsvr with more and more of them",
        options.creates(),
        List.of(one, some, many),
        new PerSecond(
            "processed", List.of(new Comparison(some, one, 0.9), new Comparison(many, some, 0.9))));
  }

  private Contest<Duration> jobs() {
    TimedWork plain = TimedWork.processing(new FlowPollers(bed, "bench_no_job", JobRuns.POLLERS));
    JobRuns one = new JobRuns(bed, "bench_one_job", 1);
    JobRuns hundred = new JobRuns(bed, "bench_jobs", 100);
    return new Contest<>(
        Part.JOBS,
        "Jobs: the children of one job, of a hundred, and tasks of their own (the pollers)",
        options.creates(),
        List.of(plain, one, hundred),
        new PerSecond(
            "children", List.of(new Comparison(one, hundred, 0.8), new Comparison(one, plain, 0))));
  }

  private Contest<Histogram> latency() throws SQLException {
    CreateToStart flow = new CreateToStart(FlowSystem.of(bed, "bench_start", Fleet.PLAIN));
    List<Contender<Histogram>> contenders = new ArrayList<>(List.of(flow));
    if (options.peers()) {
      contenders.add(
          new CreateToStart(DbSchedulerSystem.immediate(bed.peerConnections(), "dbs_start")));
      contenders.add(new CreateToStart(jobRunr("start")));
    }
    return new Contest<>(
        Part.LATENCY,
        "Create to start on an idle system: random arrivals, " + Arrivals.inWords(),
        Math.min(10, options.arrivals()),
        options.arrivals(),
        contenders,
        new Latency(
            "create to start", List.of(Limit.millis(flow, 50, 10), Limit.millis(flow, 99, 50))));
  }

  private Contest<Histogram> steady() throws SQLException {
    SteadyLoad flow = new SteadyLoad(FlowSystem.of(bed, "bench_steady", Fleet.WAITING));
    List<Contender<Histogram>> contenders = new ArrayList<>(List.of(flow));
    List<Limit> limits = new ArrayList<>();
    if (options.peers()) {
      SteadyLoad dbScheduler =
          new SteadyLoad(DbSchedulerSystem.immediate(bed.peerConnections(), "dbs_steady"));
      contenders.add(dbScheduler);
      contenders.add(new SteadyLoad(jobRunr("steady")));
      limits.add(Limit.times(flow, 50, 1, dbScheduler));
    }
    return steady(TITLE_OF_STEADY, contenders, limits);
  }

  private Contest<Histogram> steadyAgainst() throws Exception {
    SteadyLoad before = new SteadyLoad(systemOf("before", "steady", Fleet.WAITING, other()));
    SteadyLoad now = new SteadyLoad(systemOf("now", "steady", Fleet.WAITING, checkout));
    return steady(
        TITLE_OF_STEADY + ": " + TWO_CHECKOUTS,
        List.of(before, now),
        List.of(Limit.times(now, 50, 1, before)));
  }

  private Contest<Histogram> steady(
      String title, List<Contender<Histogram>> contenders, List<Limit> limits) {
    return new Contest<>(
        Part.STEADY,
        title,
        options.steady(),
        options.steady(),
        contenders,
        new Latency("steady load, create to start", limits));
  }

  private Contest<StartCost> starts() throws Exception {
    List<Contender<StartCost>> contenders = new ArrayList<>();
    if (options.against().isPresent()) {
      contenders.add(starts("before", other()));
    }
    contenders.add(starts("now", checkout));
    return new Contest<>(
        Part.START,
        "Start: a server becomes ready, rests, and does " + options.lives() + " lives",
        Math.max(1, options.lives() / 10),
        options.lives(),
        contenders,
        new StartMeasure(new StartCost(6, 350, 500, 500)));
  }

  private ServerStarts starts(String when, Checkout of) throws Exception {
    Cluster cluster = startCluster(when + "_start", 1, of);
    return new ServerStarts(
        cluster,
        FlowSystem.of(cluster, when + ", " + of.commit(), "bench_start", Fleet.BUSY),
        Duration.ofSeconds(options.idleSeconds()));
  }

  private Contest<Histogram> backlog() throws SQLException {
    int small = Math.min(SMALL_BACKLOG, options.backlog());
    int later = Math.min(DELAYED, options.backlog());
    BacklogHolds none = new BacklogHolds(bed, Backlog.none(bed, "bench_none"));
    List<Contender<Histogram>> others =
        List.of(
            new BacklogHolds(bed, waiting("bench_few", small)),
            new BacklogHolds(bed, large()),
            new BacklogHolds(bed, delayed("bench_later", later)),
            new SnapshotHolds(
                bed, new BacklogHolds(bed, waiting("bench_seen", small)), options.snapshot()));
    List<Contender<Histogram>> all = new ArrayList<>(List.of(none));
    all.addAll(others);
    return new Contest<>(
        Part.BACKLOG,
        "Backlog: a hold of 100 over REST, beside rows that nobody is in a hurry for",
        Math.max(1, options.holds() / 2),
        options.holds(),
        all,
        new Latency(
            "hold of 100",
            others.stream().map(other -> Limit.times(other, 99, 1.5, none)).toList()));
  }

  private Contest<Histogram> lists() throws SQLException {
    String type = large().type();
    List<Requests> lists =
        List.of(
            Requests.ofTaskCall(bed, "getTaskList?taskType=" + type + "&limit=100"),
            Requests.ofTaskCall(bed, "getTaskList?taskType=" + type + "&status=1&limit=100"),
            Requests.ofTaskCall(bed, "getTaskList?taskType=" + type + "&status=4&limit=100"),
            Requests.ofTaskCall(bed, "getUserTaskList?userId=" + Workload.user(7) + "&limit=100"),
            Requests.ofTaskCall(
                bed, "getUserTaskList?userId=" + Workload.user(7) + "&statusList=1,2&limit=100"));
    return new Contest<>(
        Part.LISTS,
        "Lists, with " + large().what(),
        Math.max(1, options.holds() / 2),
        options.holds(),
        lists,
        new Latency("list", lists.stream().map(list -> Limit.millis(list, 95, 100)).toList()));
  }

  private Contest<Histogram> drop() {
    CallsBesideNothing quiet = new CallsBesideNothing(bed, "bench_quiet");
    CallsBesideDrop dropping = new CallsBesideDrop(bed, "bench_drop", options.backlog(), out);
    return new Contest<>(
        Part.DROP,
        "Drop: creates, holds and reports of a family while its oldest table is dropped",
        (int) options.beforeDrop().toMillis(),
        List.of(quiet, dropping),
        new Latency("call", List.of(Limit.times(dropping, 99, 2, quiet))));
  }

  private Contest<SoakRun> soak() {
    return new Contest<>(
        Part.SOAK,
        "Soak: whole lives at 60 % of what is possible, tables rolling and dropped",
        (int) options.soak().toSeconds(),
        List.of(new Soak(bed, "bench_soak", options.lives(), 0.6)),
        new SoakMeasure(STATEMENT_CACHES_MIB, NOISE_MIB));
  }

  /** Made once: it takes its time. */
  private Backlog large() throws SQLException {
    if (large == null) {
      large = waiting("bench_many", options.backlog());
    }
    return large;
  }

  private Backlog waiting(String type, int rows) throws SQLException {
    out.printf(Locale.ROOT, "Making %,d rows ...%n", rows);
    return Backlog.waiting(bed, type, rows);
  }

  private Backlog delayed(String type, int rows) throws SQLException {
    out.printf(Locale.ROOT, "Making %,d rows ...%n", rows);
    return Backlog.delayed(bed, type, rows);
  }

  private DbSchedulerSystem dbScheduler(String purpose) throws SQLException {
    return DbSchedulerSystem.polling(bed.peerConnections(), "dbs_" + purpose);
  }

  private JobRunrSystem jobRunr(String purpose) throws SQLException {
    return new JobRunrSystem(bed.peerConnections(), "jobrunr_" + purpose, bed.isMariaDb());
  }
}
