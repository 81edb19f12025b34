package io.asyncflow.console.page.type;

import io.asyncflow.api.Call;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.page.Act;
import io.asyncflow.console.page.ActTable;
import io.asyncflow.console.page.TypeNames;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** The list of types, and the page of each. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/types")
public class TypeController {

  private static final Call<Void> SAVE = Call.to("/api/task_schedule_cfg/save");
  private static final Call<Void> ROLL = Call.to("/api/task_schedule_cfg/roll");
  private static final ActTable ACTS =
      new ActTable("type").withPause("PAUSE").with("roll", ROLL, "taskType", "TYPE_ROLL");

  @GetMapping
  public ResponseEntity<byte[]> list(Visit visit) {
    List<TaskTypeSettings> types =
        visit.send(TypeNames.TYPES).stream()
            .sorted(Comparator.comparing(TaskTypeSettings::taskType, String.CASE_INSENSITIVE_ORDER))
            .toList();
    return visit.show("types", new Listed(types, visit.may("TYPE_SAVE")));
  }

  @PostMapping
  public ResponseEntity<byte[]> create(Visit visit) {
    String type = visit.text("task_type");
    visit.send(
        SAVE.with("task_type", visit.form().given("task_type"))
            .with("reason", visit.form().given("reason")));
    return visit.done("type_create", pathOf(type.toLowerCase(Locale.ROOT)));
  }

  @GetMapping("/{type}")
  public ResponseEntity<byte[]> show(Visit visit, @PathVariable String type) {
    TaskTypeSettings settings = find(visit, type);
    List<String> tabs = TypeTab.of(visit);
    String tab = tabs.contains(visit.text("tab")) ? visit.text("tab") : tabs.get(0);
    List<Act> acts = acts(visit, type, settings);
    return visit.show(
        "type", new Shown(settings, tab, tabs, acts, TypeTab.read(visit, settings, tab)));
  }

  private static List<Act> acts(Visit visit, String type, TaskTypeSettings settings) {
    boolean isPaused = settings.paused() == 1;
    return List.of(
        act(visit, "pause", type).unless(isPaused, "why_not.paused"),
        act(visit, "resume", type).unless(!isPaused, "why_not.not_paused"),
        act(visit, "roll", type).grave());
  }

  /** An act on a type as a page shows it. */
  public static Act act(Visit visit, String act, String type) {
    return ACTS.act(visit, act, pathOf(type) + "/" + act);
  }

  private static String pathOf(String type) {
    return "/types/" + type;
  }

  /** The address of a form, which somebody opened again. */
  @GetMapping("/{type}/review")
  public ResponseEntity<byte[]> reviewAgain(Visit visit, @PathVariable String type) {
    return visit.goTo(pathOf(type), "tab", "settings");
  }

  /** Shows what a save would change, before it does. */
  @PostMapping("/{type}/review")
  public ResponseEntity<byte[]> review(Visit visit, @PathVariable String type) {
    TaskTypeSettings now = find(visit, type);
    List<Setting.Change> changes = Setting.changes(now, visit.form());
    return changes.isEmpty()
        ? visit.done("nothing_changed", pathOf(type), "tab", "settings")
        : visit
            .openedBy(visit.to(pathOf(type), "tab", "settings"))
            .show("type-review", new Review(now, changes));
  }

  /**
   * Saves what the operator has seen.
   *
   * @throws FlowException with {@link ErrorCode#CHANGED_MEANWHILE} if another save came between
   */
  @PostMapping("/{type}/save")
  public ResponseEntity<byte[]> save(Visit visit, @PathVariable String type) {
    visit.send(
        SAVE.withFields(Setting.sent(visit.form()))
            .with("task_type", type)
            .with("expected_modify_time", visit.text("modify_time"))
            .with("reason", visit.form().given("reason"))); // an older server knows none
    return visit.done("type_save", pathOf(type), "tab", "settings");
  }

  @PostMapping("/{type}/{act}")
  public ResponseEntity<byte[]> perform(
      Visit visit, @PathVariable String type, @PathVariable String act) {
    String done = ACTS.perform(visit, act, type);
    return visit.done(done, visit.text("from").equals("overview") ? "" : pathOf(type));
  }

  private static TaskTypeSettings find(Visit visit, String type) {
    return TypeNames.find(visit, type)
        .orElseThrow(
            () -> new FlowException(ErrorCode.NO_SUCH_TASK_TYPE, "there is no type " + type));
  }

  public record Listed(List<TaskTypeSettings> types, boolean mayCreate) {}

  /**
   * @param tab the part that is shown
   * @param tabs those that there are
   * @param content of the part that is shown
   */
  public record Shown(
      TaskTypeSettings type, String tab, List<String> tabs, List<Act> acts, TypeTab content) {}

  public record Review(TaskTypeSettings type, List<Setting.Change> changes) {}
}
