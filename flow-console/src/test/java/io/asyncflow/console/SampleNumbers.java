package io.asyncflow.console;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Numbers as a server answers them on a busy day: the same ones each time. */
final class SampleNumbers {

  private static final long NOW = SampleApi.NOW;
  private static final long MINUTE = 60_000;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Supplier<String> stranger;
  private final int rows;
  private final boolean isCalm;
  private final int load;

  /**
   * @param rows of each list; 0 for a server on which nothing has happened yet
   * @param isCalm whether there are few problems
   * @param load times the usual traffic
   */
  SampleNumbers(Supplier<String> stranger, int rows, boolean isCalm, int load) {
    this.stranger = stranger;
    this.rows = rows;
    this.isCalm = isCalm;
    this.load = load;
  }

  static boolean knows(String path) {
    return path.startsWith("/api/stats/") || path.equals("/api/meta");
  }

  JsonNode answer(String path, Map<String, ?> fields) {
    return switch (path) {
      case "/api/stats/overview" -> overview();
      case "/api/stats/stages" -> stages();
      case "/api/stats/series" -> series(fields);
      case "/api/stats/failures" -> failures();
      default ->
          JSON.createObjectNode()
              .put("now", NOW)
              .set("limits", JSON.createObjectNode().put("historyMs", 14 * 24 * 60 * MINUTE));
    };
  }

  private ObjectNode overview() {
    ObjectNode overview = JSON.createObjectNode().put("at", NOW);
    ArrayNode types = overview.putArray("types");
    String[] names = {"tts", "lark", "Render", "report"};
    for (int i = 0; i < rows; i++) {
      types.add(type(i < names.length ? names[i] : "type_" + i, i));
    }
    ArrayNode problems = overview.putArray("problems");
    if (rows > 0) {
      problem(problems, "NO_WORKER", "tts").put("taskStage", word("merge"));
    }
    if (rows > 0 && !isCalm) {
      problem(problems, "LATE", "lark").put("taskStage", "sendmsg");
      problem(problems, "LIMIT", "tts");
      problem(problems, "POISONED", "report");
      problem(problems, "PAUSED", "Render");
      problem(problems, "TABLE_STUCK", "tts");
      problem(problems, "OF_A_NEWER_SERVER", "tts");
    }
    return overview;
  }

  private static ObjectNode problem(ArrayNode problems, String code, String type) {
    return problems.addObject().put("code", code).put("taskType", type);
  }

  private static ObjectNode type(String name, int i) {
    long[] due = {9_800_000, 0, 1_000, 412};
    String[] kinds = {"ABOUT", "EXACT", "AT_LEAST", "EXACT"};
    ObjectNode type = JSON.createObjectNode().put("taskType", name).put("paused", i == 2);
    type.set("due", count(due[i % 4], kinds[i % 4]));
    type.set("executing", count(i == 0 ? 64 : i * 3L % 7, "EXACT"));
    if (i % 4 != 1) {
      type.put("oldestDueMs", i == 0 ? 12 * MINUTE + 4_000 : 41_000L * i);
    }
    long finished = i == 0 ? 113_400 : 812L * (i % 9);
    type.put("workers", i == 2 ? 0 : 3 + i % 5);
    type.putObject("lastHour")
        .put("created", i == 0 ? 90_000 : finished + 12)
        .put("finished", finished)
        .put("failed", i == 0 ? 12 : i % 3);
    type.putObject("lastDay").put("finalFailures", i == 0 ? 31 : i % 3);
    ArrayNode spark = type.putArray("spark");
    for (int minute = 0; minute < 60; minute++) {
      spark.add(finished == 0 ? 0 : wave(minute + 7 * i, finished / 60));
    }
    return type;
  }

  /** Something that looks like traffic around a mean. */
  private static long wave(int at, long mean) {
    double swing = Math.sin(at / 6.0) * 0.35 + Math.sin(at * 1.7) * 0.12 + Math.sin(at * 0.3) * 0.1;
    return Math.max(0, Math.round(mean * (1 + swing)));
  }

  static ObjectNode count(long count, String kind) {
    return JSON.createObjectNode().put("count", count).put("kind", kind);
  }

  private ObjectNode stages() {
    ObjectNode list = JSON.createObjectNode().put("at", NOW).put("whole", rows <= 10);
    ArrayNode stages = list.putArray("stages");
    String[] names = {"split", "synthesize", "merge", word("collect")};
    for (int i = 0; i < Math.min(rows, names.length); i++) {
      ObjectNode stage = stages.addObject().put("taskStage", names[i]);
      stage.set("due", count(i == 2 ? 9_800_000 : 0, i == 2 ? "ABOUT" : "EXACT"));
      stage.set("later", count(i == 1 ? 1_000 : 0, i == 1 ? "AT_LEAST" : "EXACT"));
      stage.set("executing", count(i == 1 ? 64 : 0, "EXACT"));
      stage.set("paused", count(i == 1 ? 2 : 0, "EXACT"));
      stage.set("success", count(1_000, "AT_LEAST"));
      stage.set("failed", count(i == 1 ? 31 : 0, rows <= 10 ? "EXACT" : "AT_LEAST"));
      stage.set("cancelled", count(i, "EXACT"));
      if (i == 2) {
        stage.put("oldestDueMs", 12 * MINUTE).put("oldestTaskId", SampleApi.TASK);
      }
      stage.put("workers", i == 2 ? 0 : 3);
      stage.set("runMs", percentiles(i == 3 ? 0 : 380L * (i + 1)));
      stage.set("waitMs", percentiles(i == 3 ? 0 : 8L * (i + 1)));
    }
    return list;
  }

  private static ObjectNode percentiles(long p50) {
    ObjectNode percentiles = JSON.createObjectNode().put("n", p50 == 0 ? 0 : 4_200);
    return p50 == 0
        ? percentiles
        : percentiles.put("p50", p50).put("p95", p50 * 4).put("p99", p50 * 5);
  }

  private ObjectNode series(Map<String, ?> fields) {
    long from = number(fields.get("from"), NOW - 60 * MINUTE);
    long to = number(fields.get("to"), NOW);
    long minutes = (to - from) / MINUTE;
    long points = number(fields.get("points"), 60);
    long step = (minutes + points - 1) / points;
    int steps = (int) ((minutes + step - 1) / step);
    ObjectNode answer = JSON.createObjectNode().put("from", from).put("stepMs", step * MINUTE);
    answer.put("whole", rows <= 10);
    ObjectNode series = answer.putObject("series");
    ObjectNode runs = answer.putObject("runMs");
    ObjectNode waits = answer.putObject("waitMs");
    for (String name : List.of("created", "finished", "failed", "retried")) {
      ArrayNode values = series.putArray(name);
      for (int i = 0; i < steps; i++) {
        if (rows == 0) {
          values.add(0);
        } else if (i == steps - 1) {
          values.addNull(); // it has not begun
        } else {
          values.add(
              switch (name) {
                case "created" -> wave(i, 1_500 * step * load);
                case "finished" -> wave(i + 3, 1_890 * step * load);
                case "failed" -> i % 11 == 3 ? wave(i, 3) : 0;
                default -> i % 7 < 2 ? wave(i, 9) : 0;
              });
        }
      }
    }
    for (String name : List.of("p50", "p95", "p99")) {
      long mean = name.equals("p50") ? 380 : name.equals("p95") ? 1_300 : 1_700;
      ArrayNode run = runs.putArray(name);
      ArrayNode wait = waits.putArray(name);
      for (int i = 0; i < steps; i++) {
        boolean isGap = rows == 0 || i == steps - 1 || i > 20 && i < 25;
        run.add(isGap ? null : wave(i, mean));
        wait.add(isGap ? null : i > 40 ? mean * (i - 38) * 6 : wave(2 * i, mean / 30));
      }
    }
    return answer;
  }

  private static long number(Object field, long otherwise) {
    return field == null ? otherwise : Long.parseLong(field.toString());
  }

  private ObjectNode failures() {
    ObjectNode page = JSON.createObjectNode().put("whole", rows <= 10);
    ArrayNode groups = page.putArray("groups");
    String[] verdicts = {"RETRY", "FAIL", "WORKER_LOST", "POISON", "TIMED_OUT", "OPERATOR"};
    String[] samples = {
      "no tape in drive 3",
      "java.io.IOException: Connection reset by peer (10.0.0.7:9000)",
      "",
      "held 10 times in a row without a report",
      "the attempt took longer than 600 s",
      "set by hand"
    };
    for (int i = 0; i < (rows == 0 ? 0 : Math.max(7, rows)); i++) {
      boolean isRest = i == 6;
      ObjectNode group =
          groups
              .addObject()
              .put(
                  "fingerprint", isRest ? "0".repeat(16) : "%016x".formatted(0x9f3c0a1bL * (i + 1)))
              .put("taskType", i % 2 == 0 ? "tts" : "lark")
              .put("failures", 1_183L / (i + 1) + 1)
              .put("finals", i % 2 == 1 ? 1_183L / (i + 1) + 1 : i % 3 == 0 ? 3 + i : 0)
              .put("firstTime", NOW - 82_800_000L)
              .put("lastTime", NOW - 41_000L * (i * i + 1))
              .put("sample", isRest ? "" : word(samples[i % samples.length]))
              .put("sampleTaskId", (249835547751612417L + 7_919L * i) + "_tts_task_1");
      if (!isRest) {
        group.put("taskStage", word("synthesize")).put("verdict", verdicts[i % verdicts.length]);
      }
      ArrayNode spark = group.putArray("spark");
      for (int hour = 0; hour < 24; hour++) {
        spark.add(hour < 18 - i ? 0 : wave(hour + i, 48L / (i + 1)));
      }
    }
    return rows > 10 ? page.put("nextCursor", "next") : page;
  }

  /** What stands there, unless a stranger writes elsewhere. */
  private String word(String usual) {
    String text = stranger.get();
    return text.equals("ada") ? usual : text;
  }
}
