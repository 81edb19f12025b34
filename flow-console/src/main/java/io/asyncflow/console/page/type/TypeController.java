package io.asyncflow.console.page.type;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.console.frame.Calls;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.page.Act;
import io.asyncflow.console.page.Form;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** The list of types, and the page of each. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/types")
public class TypeController {

  private static final String SAVE = "/api/task_schedule_cfg/save";

  private final Pages pages;
  private final Calls calls;
  private final TypeTabs tabs;

  public TypeController(Pages pages, Calls calls) {
    this.pages = pages;
    this.calls = calls;
    this.tabs = new TypeTabs(calls);
  }

  @GetMapping
  public ResponseEntity<byte[]> list(Frame frame) {
    List<TaskTypeSettings> types =
        types().stream()
            .sorted(Comparator.comparing(TaskTypeSettings::taskType, String.CASE_INSENSITIVE_ORDER))
            .toList();
    return pages.show(frame, "types", new TypeViews.Listed(types, frame.may("TYPE_SAVE")));
  }

  @PostMapping
  public ResponseEntity<byte[]> create(Frame frame, @RequestParam Map<String, String> fields) {
    Form form = new Form(fields);
    String type = form.text("task_type");
    calls.call(SAVE, "task_type", type, "reason", form.text("reason"));
    return Pages.done(frame, "type_create", frame.to(pathOf(type.toLowerCase(Locale.ROOT))));
  }

  @GetMapping("/{type}")
  public ResponseEntity<byte[]> show(
      Frame frame, @PathVariable String type, @RequestParam Map<String, String> fields) {
    TaskTypeSettings settings = find(type);
    Form form = new Form(fields);
    List<String> known = TypeTabs.of(frame);
    String tab = known.contains(form.text("tab")) ? form.text("tab") : known.get(0);
    return pages.show(
        frame,
        "type",
        new TypeViews.Shown(
            settings,
            tab,
            known,
            acts(frame, type, settings),
            tabs.read(frame, settings, tab, form)));
  }

  private static List<Act> acts(Frame frame, String type, TaskTypeSettings settings) {
    boolean isPaused = settings.paused() == 1;
    return List.of(
        Act.of(frame, "PAUSE", "type_pause", actUrl(frame, type, "pause"))
            .unless(isPaused, "why_not.paused"),
        Act.of(frame, "PAUSE", "type_resume", actUrl(frame, type, "resume"))
            .unless(!isPaused, "why_not.not_paused"),
        Act.of(frame, "TYPE_ROLL", "type_roll", actUrl(frame, type, "roll")).grave());
  }

  private static String actUrl(Frame frame, String type, String act) {
    return frame.to(pathOf(type) + "/" + act);
  }

  private static String pathOf(String type) {
    return "/types/" + type;
  }

  /** The address of a form, which somebody opened again. */
  @GetMapping("/{type}/review")
  public ResponseEntity<byte[]> reviewAgain(Frame frame, @PathVariable String type) {
    return Pages.goTo(settings(frame, type));
  }

  private static String settings(Frame frame, String type) {
    return frame.to(pathOf(type), "tab", "settings");
  }

  /** Shows what a save would change, before it does. */
  @PostMapping("/{type}/review")
  public ResponseEntity<byte[]> review(
      Frame frame, @PathVariable String type, @RequestParam Map<String, String> fields) {
    TaskTypeSettings now = find(type);
    List<Setting.Change> changes = Setting.changes(now, fields);
    if (changes.isEmpty()) {
      return Pages.done(frame, "nothing_changed", settings(frame, type));
    }
    return pages.show(
        frame.openedBy(settings(frame, type)), "type-review", new TypeViews.Review(now, changes));
  }

  /**
   * Saves what the operator has seen.
   *
   * @throws FlowException with {@link ErrorCode#CHANGED_MEANWHILE} if another save came between
   */
  @PostMapping("/{type}/save")
  public ResponseEntity<byte[]> save(
      Frame frame, @PathVariable String type, @RequestParam Map<String, String> fields) {
    Map<String, Object> save = new HashMap<>(Setting.sent(fields));
    save.put("task_type", type);
    Form form = new Form(fields);
    save.put("expected_modify_time", form.text("modify_time"));
    save.putAll(Calls.fields("reason", form.text("reason"))); // an older server knows none
    calls.call(SAVE, save);
    return Pages.done(frame, "type_save", settings(frame, type));
  }

  @PostMapping("/{type}/{act}")
  public ResponseEntity<byte[]> act(
      Frame frame,
      @PathVariable String type,
      @PathVariable String act,
      @RequestParam Map<String, String> fields) {
    Form form = new Form(fields);
    String reason = form.text("reason");
    switch (act) {
      case "pause" -> calls.call("/api/pause/set", "kind", "TYPE", "name", type, "reason", reason);
      case "resume" ->
          calls.call("/api/pause/clear", "kind", "TYPE", "name", type, "reason", reason);
      case "roll" -> calls.call("/api/task_schedule_cfg/roll", "taskType", type, "reason", reason);
      default -> throw Form.noPage();
    }
    String back = form.text("from").equals("overview") ? "" : pathOf(type);
    return Pages.done(frame, "type_" + act, frame.to(back));
  }

  private TaskTypeSettings find(String type) {
    return types().stream()
        .filter(settings -> settings.taskType().equalsIgnoreCase(type))
        .findFirst()
        .orElseThrow(
            () -> new FlowException(ErrorCode.NO_SUCH_TASK_TYPE, "there is no type " + type));
  }

  private List<TaskTypeSettings> types() {
    return calls.list(
        TaskTypeSettings.class, "scheduleCfgList", "/api/task_schedule_cfg/list", Map.of());
  }
}
