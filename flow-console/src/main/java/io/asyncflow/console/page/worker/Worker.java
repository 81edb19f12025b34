package io.asyncflow.console.page.worker;

import io.asyncflow.api.WorkerInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A worker, as {@code worker/list} answers it.
 *
 * @param state {@code alive}, {@code draining}, {@code paused}, {@code lost} or {@code stopped}
 * @param description what it says of itself; {@code null} if it never did
 * @param tooOldFor the types that ask for a later version of its program
 */
public record Worker(
    String workerId,
    String host,
    String sdkVersion,
    String state,
    int heldTasks,
    WorkerInfo description,
    List<String> tooOldFor,
    long firstBeat,
    long lastBeat) {

  /** What a worker says of itself if all is well. */
  private static final Set<String> WELL = Set.of("", "ok", "healthy", "none", "0");

  private <T> T said(Function<WorkerInfo, T> part, T none) {
    T said = description == null ? null : part.apply(description);
    return said == null ? none : said;
  }

  /** What it has handlers for, as {@code type/stage}. */
  public List<String> stages() {
    return said(WorkerInfo::stages, List.of());
  }

  public Map<String, Integer> freeThreads() {
    return said(WorkerInfo::freeThreads, Map.of());
  }

  public Map<String, Integer> freeSlots() {
    return said(WorkerInfo::freeSlots, Map.of());
  }

  public Map<String, String> labels() {
    return said(WorkerInfo::labels, Map.of());
  }

  public Map<String, String> states() {
    return said(WorkerInfo::states, Map.of());
  }

  /** The labels that it lacks, by stages that it has handlers for and does not ask for. */
  public Map<String, String> withheld() {
    Map<String, String> lacking = new TreeMap<>();
    this.<List<WorkerInfo.Withheld>>said(WorkerInfo::withheld, List.of())
        .forEach(stage -> lacking.put(stage.stage(), String.join(", ", stage.requires())));
    return lacking;
  }

  /** By stages, as {@code type/stage}. */
  public Map<String, String> models() {
    return said(WorkerInfo::models, Map.of());
  }

  public List<String> loaded() {
    return said(WorkerInfo::loaded, List.of());
  }

  /** The ids of tasks that it holds and has not begun. */
  public List<String> queued() {
    return said(WorkerInfo::queued, List.of());
  }

  public boolean isLost() {
    return state.equals("lost");
  }

  /** What it says of itself that an operator should look at. */
  public List<String> worries() {
    List<String> worries = new ArrayList<>();
    for (String name : List.of("health", "stuck", "quarantined", "spooled")) {
      String value = states().get(name);
      if (value != null && !WELL.contains(value)) {
        worries.add(name);
      }
    }
    if (tooOldFor != null && !tooOldFor.isEmpty()) {
      worries.add("too_old");
    }
    return worries;
  }

  public int totalFreeThreads() {
    return freeThreads().values().stream().mapToInt(Integer::intValue).sum();
  }

  boolean servesLike(String text) {
    return stages().stream().anyMatch(stage -> stage.contains(text));
  }
}
