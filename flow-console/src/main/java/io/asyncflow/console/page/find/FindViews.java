package io.asyncflow.console.page.find;

import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.console.page.TypeNames;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the templates of searches show. */
public final class FindViews {

  private FindViews() {}

  /**
   * A search and what it found.
   *
   * @param order empty for the one that suits the words
   * @param refusal why the words were refused; {@code null} if they were not
   * @param found {@code null} if they were
   * @param types that the field suggests
   * @param acts that the operator's roles have, of {@code retry}, {@code cancel}, {@code run_now}
   */
  public record Listed(
      String q,
      String order,
      Refusal refusal,
      Found found,
      Builder builder,
      List<Facet> statuses,
      List<Facet> stages,
      List<Saved> saved,
      Set<Column> columns,
      TypeNames types,
      List<String> acts) {

    public boolean shows(Column column) {
      return columns.contains(column);
    }

    /** The key of what an empty page says of where was looked. */
    public String hint() {
      if (found.further() != null) {
        return "find.none.yet.hint";
      }
      if (found.isWhole()) {
        return "find.none.hint";
      }
      return order.equals(TaskFinder.LONGEST) ? "find.none.longest" : "find.none.places";
    }
  }

  /** Why a search was refused, and its text in pieces, of which the wrong ones are marked. */
  public record Refusal(List<String> messages, List<Piece> pieces) {}

  public record Piece(String text, boolean isWrong) {}

  /**
   * A page of what was found.
   *
   * @param further the address of the next page; {@code null} if all was looked at
   * @param oneDay the address of the same search in the day that was looked at last; {@code null}
   *     without such a day
   * @param isLive whether looking again is cheap enough to do it every few seconds
   * @param wider the same search without one of its words each, where nothing was found
   */
  public record Found(
      List<Row> rows,
      int looked,
      Long lookedBackTo,
      boolean isWhole,
      boolean isLive,
      String further,
      String oneDay,
      String download,
      List<Link> wider) {}

  /**
   * A task that was found.
   *
   * @param lastError empty if there is none
   * @param heldSince epoch ms, where executing tasks are asked for; otherwise {@code null}
   */
  public record Row(Task task, String lastError, Long heldSince) {

    /** How a form names the task, and how it was seen. */
    public String seen() {
      return task.taskId() + "~" + task.leaseEpoch() + "~" + task.status();
    }

    public int attempt() {
      return Math.min(task.attempt(), task.maxRetryNum() + 1);
    }

    public TaskStatus status() {
      return task.taskStatus();
    }
  }

  public record Link(String text, String url) {}

  /** A word that a click puts into the search, or takes out. */
  public record Facet(String name, String url, boolean isSet, BoundedCount count) {}

  /**
   * A search with a name.
   *
   * @param isOwn whether the operator has saved it
   */
  public record Saved(String name, String url, boolean isOwn) {}

  /** The fields that make words for those who do not type them. */
  public record Builder(
      String type,
      Map<TaskStatus, Boolean> statuses,
      String stage,
      String user,
      String worker,
      String text,
      String age) {}

  /** Selected tasks, before something is done with them. */
  public record Selected(String act, List<Choice> tasks, String to) {}

  public record Choice(String taskId, int leaseEpoch, int status) {

    public String seen() {
      return taskId + "~" + leaseEpoch + "~" + status;
    }
  }

  /** What was done with selected tasks, and what was refused. */
  public record Outcome(String act, int done, List<Refused> refused, String to) {}

  public record Refused(String taskId, int code, String message) {}
}
