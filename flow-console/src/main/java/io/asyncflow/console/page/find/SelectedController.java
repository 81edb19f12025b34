package io.asyncflow.console.page.find;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskAct;
import io.asyncflow.console.frame.Calls;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.page.Form;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * Acts on the tasks that were selected in a list: asks first, then makes one call a task, and shows
 * those that were refused. Each call says how the task was seen, so that nothing is done twice, and
 * nothing to a task that has moved since.
 */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/tasks")
public class SelectedController {

  private static final int MOST = 200;
  private static final Pattern SEEN =
      Pattern.compile("([0-9]{1,19}_[A-Za-z0-9_]{1,60})~([0-9]{1,9})~([0-9]{1,2})");

  private static final List<TaskAct> ACTS = List.of(TaskAct.RETRY, TaskAct.CANCEL, TaskAct.RUN_NOW);

  private final Pages pages;
  private final Calls calls;

  public SelectedController(Pages pages, Calls calls) {
    this.pages = pages;
    this.calls = calls;
  }

  static List<String> actsOf(Frame frame) {
    return ACTS.stream().filter(act -> frame.may(act.verb())).map(TaskAct::word).toList();
  }

  /** The address of a form, which somebody opened again. */
  @GetMapping("/selected")
  public ResponseEntity<byte[]> again(Frame frame) {
    return Pages.goTo(frame.to("/tasks"));
  }

  @PostMapping("/selected")
  public ResponseEntity<byte[]> act(
      Frame frame, @RequestParam MultiValueMap<String, String> fields) {
    Form form = new Form(fields.toSingleValueMap());
    TaskAct act =
        ACTS.stream()
            .filter(each -> each.word().equals(form.text("act")))
            .findFirst()
            .orElseThrow(Form::noPage);
    List<FindViews.Choice> tasks = choices(frame, fields.getOrDefault("task", List.of()));
    String to = frame.urls().own(form.text("to"));
    if (tasks.isEmpty()) {
      return Pages.goTo(to);
    }
    if (!form.text("sure").equals("yes")) {
      return pages.show(
          frame.openedBy(to), "selected", new FindViews.Selected(act.word(), tasks, to));
    }
    List<FindViews.Refused> refused = new ArrayList<>();
    for (FindViews.Choice task : tasks) {
      try {
        calls.call(
            act.path(),
            "taskId",
            task.taskId(),
            "expectedEpoch",
            task.leaseEpoch(),
            "expectedStatus",
            task.status(),
            "reason",
            form.text("reason"));
      } catch (FlowException e) {
        refused.add(new FindViews.Refused(task.taskId(), e.errorCode().code(), e.getMessage()));
      }
    }
    int done = tasks.size() - refused.size();
    return pages.show(
        frame.openedBy(to), "selected-done", new FindViews.Outcome(act.word(), done, refused, to));
  }

  private static List<FindViews.Choice> choices(Frame frame, List<String> seen) {
    if (seen.size() > MOST) {
      throw new FlowException(ErrorCode.INVALID_INPUT, frame.t("find.selected.most", MOST));
    }
    return seen.stream().distinct().map(SelectedController::choice).toList();
  }

  private static FindViews.Choice choice(String seen) {
    Matcher task = SEEN.matcher(seen);
    if (!task.matches()) {
      throw new FlowException(ErrorCode.INVALID_INPUT, "task is not one of a list");
    }
    return new FindViews.Choice(
        task.group(1), Integer.parseInt(task.group(2)), Integer.parseInt(task.group(3)));
  }
}
