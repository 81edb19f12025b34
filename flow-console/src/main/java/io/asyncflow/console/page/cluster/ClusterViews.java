package io.asyncflow.console.page.cluster;

import io.asyncflow.api.act.ListedAct;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.text.Ids;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What the templates of the cluster show. */
public final class ClusterViews {

  private ClusterViews() {}

  /**
   * As {@code governance/status} answers it.
   *
   * @param writers database servers that the live servers write to
   */
  public record Cluster(List<Node> nodes, String leader, long term, int writers, List<Duty> jobs) {}

  /**
   * As {@code store/usage} answers it.
   *
   * @param kind {@code DIRECTORY} or {@code BUCKET}
   * @param place the directory, or the bucket with the prefix
   * @param freeBytes {@code null} where there is no limit, as with the others
   * @param minFreeBytes what uploads leave free
   */
  public record Store(
      String kind, String place, Long freeBytes, Long totalBytes, Long minFreeBytes) {}

  /**
   * What its page shows.
   *
   * @param store {@code null} if it does not answer
   */
  public record Shown(Cluster cluster, Store store) {}

  public record Node(
      String node,
      String host,
      int serverNumber,
      long startTime,
      long lastBeat,
      String version,
      int busy) {}

  /**
   * @param error {@code null} if the last run succeeded
   */
  public record Duty(
      String job,
      String node,
      long lastRun,
      long costMs,
      Object result,
      String error,
      Long lastEffectiveRun) {}

  /** Which acts are asked for; empty or {@code null} for all. */
  public record Filter(String actor, String object, String act, Long from, Long to) {

    static Filter of(Visit visit) {
      return new Filter(
          visit.text("actor"),
          visit.text("object"),
          visit.text("act"),
          visit.form().time(visit.frame(), "from"),
          visit.form().time(visit.frame(), "to"));
    }

    public boolean isEmpty() {
      return (actor + object + act).isEmpty() && from == null && to == null;
    }
  }

  /**
   * @param older the address of the next page; {@code null} on the last
   */
  public record Audit(List<ListedAct> acts, Filter filter, String older) {}

  /** What a duty did, in a line. */
  public static String result(Object result) {
    return result instanceof Map<?, ?> members
        ? members.entrySet().stream()
            .map(member -> member.getKey() + " " + member.getValue())
            .collect(Collectors.joining(", "))
        : text(result);
  }

  /** The page of what an act changed; {@code null} if it has none. */
  public static String page(Frame frame, String object) {
    int colon = object.indexOf(':');
    String name = object.substring(colon + 1);
    return switch (colon < 0 ? "" : object.substring(0, colon)) {
      case "task" -> frame.to("/tasks/" + name);
      case "job" -> frame.to("/jobs/" + name);
      case "type" -> frame.to("/types/" + name);
      case "worker" -> frame.to("/worker", "id", name);
      case "schedule" -> frame.to("/schedules/" + name);
      case "bulk" -> frame.to("/bulk/" + name);
      default -> null;
    };
  }

  /** An object without the middle of its number. */
  public static String brief(String object) {
    int name = object.indexOf(':') + 1;
    return object.substring(0, name) + Ids.cut(object.substring(name));
  }

  /** What an act changed: members of {@code before} and {@code after} that differ. */
  public static Map<String, String> changes(ListedAct act) {
    Map<String, Object> detail = act.detail() == null ? Map.of() : act.detail();
    Map<?, ?> before = detail.get("before") instanceof Map<?, ?> map ? map : Map.of();
    Map<?, ?> after = detail.get("after") instanceof Map<?, ?> map ? map : Map.of();
    Map<String, String> changes = new TreeMap<>();
    after.forEach(
        (name, value) -> {
          Object old = before.get(name);
          if (!Objects.equals(old, value)) {
            changes.put(
                String.valueOf(name), (before.isEmpty() ? "" : text(old) + " → ") + text(value));
          }
        });
    detail.forEach(
        (name, value) -> {
          if (!name.equals("before") && !name.equals("after")) {
            changes.put(name, text(value));
          }
        });
    return changes;
  }

  private static String text(Object value) {
    return value == null ? "–" : value.toString();
  }
}
