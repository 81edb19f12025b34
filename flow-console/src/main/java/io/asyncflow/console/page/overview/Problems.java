package io.asyncflow.console.page.overview;

import io.asyncflow.api.stats.Overview;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.page.cluster.ClusterViews.Cluster;
import io.asyncflow.console.page.worker.Worker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What is wrong: as the server says of types, and as workers and duties say of themselves. */
final class Problems {

  /** Those for which work stands still or is lost. */
  private static final Set<String> GRAVE =
      Set.of(
          "NO_WORKER",
          "POISONED",
          "WORKER_LOST",
          "WORKER_STUCK",
          "DUTY",
          "NO_LEADER",
          "TWO_WRITERS");

  private static final String TYPE = "problem.type";

  private final Frame frame;
  private final List<Problem> all = new ArrayList<>();

  private Problems(Frame frame) {
    this.frame = frame;
  }

  /** All of them, the grave ones first. */
  static List<Problem> of(Frame frame, Snapshots.Snapshot snapshot) {
    Problems problems = new Problems(frame);
    if (snapshot.cluster() != null) {
      problems.addOf(snapshot.cluster());
    }
    snapshot.numbers().problems().forEach(problems::addOf);
    if (snapshot.workers() != null) {
      snapshot.workers().worried().forEach(problems::addOf);
    }
    problems.all.sort(Comparator.comparing(problem -> !problem.isGrave()));
    return List.copyOf(problems.all);
  }

  private void addOf(Cluster cluster) {
    String page = frame.to("/cluster");
    if (cluster.leader() == null) {
      add("NO_LEADER", "", "", 0, page, "nav.cluster");
    }
    if (cluster.writers() > 1) {
      add("TWO_WRITERS", "", "", 0, page, "nav.cluster");
    }
    cluster.jobs().stream()
        .filter(duty -> duty.error() != null)
        .forEach(duty -> add("DUTY", duty.job(), duty.error(), 0, page, "nav.cluster"));
  }

  private void addOf(Overview.Problem problem) {
    String type = problem.taskType();
    String subject = problem.taskStage() == null ? type : type + "/" + problem.taskStage();
    String page = "/types/" + type.toLowerCase(Locale.ROOT);
    switch (problem.code()) {
      case "NO_WORKER" -> {
        boolean mayLook = frame.may("WORKER_READ");
        String workers = frame.to("/workers", "stage", subject);
        add(problem, subject, mayLook ? workers : frame.to(page), mayLook ? "nav.workers" : TYPE);
      }
      case "POISONED" -> {
        String failures = frame.to("/failures", "type", type, "verdict", "POISON");
        add(problem, subject, failures, "nav.failures");
      }
      case "LIMIT" -> add(problem, subject, frame.to(page, "tab", "settings"), "type.settings");
      case "TABLE_STUCK" -> add(problem, subject, frame.to(page, "tab", "tables"), "type.tables");
      default -> add(problem, subject, frame.to(page), TYPE);
    }
  }

  private void add(Overview.Problem problem, String subject, String url, String link) {
    add(problem.code(), subject, "", 0, url, link);
  }

  private void addOf(Worker worker) {
    String page = frame.to("/worker", "id", worker.workerId());
    if (worker.isLost()) { // what it said of itself is old
      add("WORKER_LOST", worker.workerId(), "", worker.heldTasks(), page, "col.worker");
      return;
    }
    for (String worry : worker.worries()) {
      String detail =
          worry.equals("too_old")
              ? String.join(", ", worker.tooOldFor())
              : worker.states().get(worry);
      String code = "WORKER_" + worry.toUpperCase(Locale.ROOT);
      add(code, worker.workerId(), detail, 0, page, "col.worker");
    }
  }

  private void add(String code, String subject, String detail, int count, String url, String link) {
    all.add(new Problem(code, GRAVE.contains(code), subject, detail, count, url, link));
  }
}
