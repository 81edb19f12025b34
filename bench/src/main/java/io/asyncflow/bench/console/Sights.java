package io.asyncflow.bench.console;

import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.WorkerInfo;
import io.asyncflow.bench.bed.FlowBed;
import io.asyncflow.bench.bed.JobSplits;
import io.asyncflow.bench.bed.MixedRows;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.flow.Requests;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What operators look at on a server of its own: tasks of one type in all states and many stages,
 * more types of the same stages, workers that beat, and a job with children that wait.
 */
public final class Sights implements AutoCloseable {

  private static final String TYPE = "bench_seen";
  private static final String JOB = "bench_seen_job";
  private static final String CHILD = "bench_seen_child";
  private static final int WAITING = 1;

  /** Of the other types: more than are counted in each stage. */
  private static final int MOST_ROWS_OF_OTHERS = 8_000;

  /** A prime number, so that tasks that are looked at one after the other lie far apart. */
  private static final int STRIDE = 7_919;

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final FlowBed bed;
  private final String name;
  private final MixedRows rows;
  private final Beats beats;
  private final String job;

  private Sights(FlowBed bed, String name, MixedRows rows, Beats beats, String job) {
    this.bed = bed;
    this.name = name;
    this.rows = rows;
    this.beats = beats;
    this.job = job;
  }

  /** What an empty system has at least, for pages that show one thing: one of each. */
  public static Sights one(FlowBed bed) throws Exception {
    return make(bed, "empty", 1, 0, 1, 1);
  }

  /**
   * @param rows tasks of one type
   * @param otherTypes that there are besides
   * @param workers that beat and execute a task each
   * @param children of one job
   */
  public static Sights many(FlowBed bed, int rows, int otherTypes, int workers, int children)
      throws Exception {
    String name = String.format(Locale.ROOT, "%,d rows", rows);
    return make(bed, name, rows, otherTypes, workers, children);
  }

  private static Sights make(
      FlowBed bed, String name, int rows, int otherTypes, int workers, int children)
      throws Exception {
    List<String> types = new ArrayList<>(List.of(TYPE));
    int rowsOfOthers = Math.min(MOST_ROWS_OF_OTHERS, rows);
    for (int i = 1; i <= otherTypes; i++) {
      types.add(TYPE + i);
      MixedRows.fill(bed, TYPE + i, rowsOfOthers, 0);
    }
    MixedRows mixed = MixedRows.fill(bed, TYPE, rows, Math.min(workers, rows / 2));
    bed.addType(Workload.type(CHILD, 1));
    bed.addType(Workload.type(JOB, 1));
    String job = new JobSplits(bed, JOB, CHILD).split(0, children);
    awaitChildren(bed, children);
    return new Sights(bed, name, mixed, Beats.start(bed.flow(), beats(types, workers)), job);
  }

  private static void awaitChildren(FlowBed bed, int children) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    try (Connection connection = bed.connect()) {
      while (bed.count(connection, CHILD, WAITING) < children) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("the children of the job did not become tasks");
        }
        Thread.sleep(200);
      }
    }
  }

  /** Each of some types is served by the workers in turn, so all are. */
  private static List<Heartbeat> beats(List<String> types, int workers) {
    return IntStream.range(0, workers)
        .mapToObj(
            number ->
                new Heartbeat(
                    "worker-" + number,
                    List.of(),
                    info("host-" + number / 10, types.get(number % types.size()))))
        .toList();
  }

  private static WorkerInfo info(String host, String type) {
    List<String> stages =
        new ArrayList<>(
            IntStream.range(0, MixedRows.STAGES).mapToObj(stage -> type + "/s" + stage).toList());
    stages.add(type + "/" + Workload.STAGE);
    stages.add(CHILD + "/" + Workload.STAGE);
    return new WorkerInfo(
        host,
        "1.0.0",
        1,
        stages,
        Map.of("zone", "north"),
        Map.of(type, 3),
        Map.of("cuda:0", 1),
        Map.of("worker", "running", "health", "ok", "poller/" + type, "polling"),
        null,
        null,
        null,
        null);
  }

  FlowBed bed() {
    return bed;
  }

  /** What tells it from others, as the tables call it. */
  public String name() {
    return name;
  }

  static String type() {
    return TYPE;
  }

  /** How many tasks of the one type there are. */
  public int rows() {
    return rows.rows();
  }

  /** One address of each page, after that of the console. */
  public List<String> pages() {
    return List.of(
        "",
        "/tasks?q=" + words("type:" + TYPE + " status:waiting"),
        "/tasks/" + task(1),
        "/failures",
        "/types",
        "/types/" + TYPE,
        "/types/" + TYPE + "?tab=history",
        "/jobs",
        "/jobs/" + job,
        "/jobs/" + job + "/map",
        "/workers",
        "/worker?id=worker-0",
        "/schedules",
        "/bulk",
        "/cluster",
        "/audit");
  }

  /** The address of a search for the tasks of a user, of which there are a hundred. */
  public String searchOfUser(int number) {
    return "/tasks?q=" + words("type:" + TYPE + " user:" + Workload.user(number));
  }

  /** What a page is called whose address has ids. */
  static String title(String address) {
    String path = address.replaceAll("\\?id=.*|\\?q=.*", "");
    String title = path.replaceAll("/[0-9]+[^/]*", "/ID").replace("/" + TYPE, "/TYPE");
    return "/console" + title;
  }

  /** Requests of one page. */
  public Requests page(String address) {
    HttpRequest request = pageOf(address).build();
    return new Requests(title(address) + ", " + name, number -> request);
  }

  HttpRequest.Builder pageOf(String address) {
    return Requests.to(bed, "/console" + address);
  }

  /** Requests of the page of a task, each of another one. */
  public Requests taskPages() {
    return new Requests(
        "page of a task with why and history, " + name,
        number -> pageOf("/tasks/" + task(number)).build());
  }

  /** Searches, each with other words if those have a {@code %s}. */
  public Requests searches(String what, String q) {
    return new Requests(
        "search " + what + ", " + name,
        number -> search(q.replace("%s", "" + number % MixedRows.STAGES)));
  }

  /** Searches for a task by its id. */
  public Requests searchesById() {
    return new Requests("search by id, " + name, number -> search("id:" + task(number)));
  }

  /** Searches for the children of the job. */
  public Requests searchesByJob() {
    return new Requests("search by job, " + name, number -> search("job:" + job));
  }

  private HttpRequest search(String q) {
    return Requests.to(bed, "/api/task/search?q=" + words(q)).build();
  }

  /** Previews of a bulk on all that waits. */
  public Requests previews() {
    String body =
        "{\"act\":\"CANCEL\",\"filter\":{\"q\":\"type:%s status:waiting\"}}".formatted(TYPE);
    return new Requests(
        "bulk preview, " + name,
        number ->
            Requests.to(bed, "/api/bulk/preview")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build());
  }

  /** Calls of the overview. */
  public Requests overviews() {
    HttpRequest request = Requests.to(bed, "/api/stats/overview").build();
    return new Requests("overview made anew, " + name, number -> request);
  }

  private String task(int number) {
    return rows.taskId((int) ((long) number * STRIDE % rows.rows()));
  }

  static String words(String q) {
    return URLEncoder.encode(q, StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws Exception {
    beats.close();
  }
}
