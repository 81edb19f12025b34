package io.asyncflow.console.page.worker;

import io.asyncflow.api.WorkerInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

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

  /** What it has handlers for, as {@code type/stage}. */
  public List<String> stages() {
    return description == null || description.stages() == null ? List.of() : description.stages();
  }

  public Map<String, Integer> freeThreads() {
    return description == null || description.freeThreads() == null
        ? Map.of()
        : description.freeThreads();
  }

  public Map<String, Integer> freeSlots() {
    return description == null || description.freeSlots() == null
        ? Map.of()
        : description.freeSlots();
  }

  public Map<String, String> labels() {
    return description == null || description.labels() == null ? Map.of() : description.labels();
  }

  public Map<String, String> states() {
    return description == null || description.states() == null ? Map.of() : description.states();
  }

  /** The labels that it lacks, by stages that it has handlers for and does not ask for. */
  public Map<String, String> withheld() {
    if (description == null || description.withheld() == null) {
      return Map.of();
    }
    Map<String, String> lacking = new TreeMap<>();
    description
        .withheld()
        .forEach(stage -> lacking.put(stage.stage(), String.join(", ", stage.requires())));
    return lacking;
  }

  /** By stages, as {@code type/stage}. */
  public Map<String, String> models() {
    return description == null || description.models() == null ? Map.of() : description.models();
  }

  public List<String> loaded() {
    return description == null || description.loaded() == null ? List.of() : description.loaded();
  }

  /** The ids of tasks that it holds and has not begun. */
  public List<String> queued() {
    return description == null || description.queued() == null ? List.of() : description.queued();
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
