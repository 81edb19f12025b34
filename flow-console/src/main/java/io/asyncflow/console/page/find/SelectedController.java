package io.asyncflow.console.page.find;

import io.asyncflow.api.Call;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskAct;
import io.asyncflow.console.frame.Form;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.frame.Visit;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

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

  static List<String> actsOf(Visit visit) {
    return ACTS.stream().filter(act -> visit.may(act.verb())).map(TaskAct::word).toList();
  }

  /** The address of a form, which somebody opened again. */
  @GetMapping("/selected")
  public ResponseEntity<byte[]> again(Visit visit) {
    return visit.goTo("/tasks");
  }

  @PostMapping("/selected")
  public ResponseEntity<byte[]> act(Visit visit) {
    TaskAct act =
        ACTS.stream()
            .filter(each -> each.word().equals(visit.text("act")))
            .findFirst()
            .orElseThrow(Form::noPage);
    List<FindViews.Choice> tasks = choices(visit);
    String to = visit.frame().urls().own(visit.text("to"));
    if (tasks.isEmpty()) {
      return Pages.goTo(to);
    }
    Visit opened = visit.openedBy(to);
    return visit.text("sure").equals("yes")
        ? opened.show("selected-done", perform(visit, act, tasks, to))
        : opened.show("selected", new FindViews.Selected(act.word(), tasks, to));
  }

  private static FindViews.Outcome perform(
      Visit visit, TaskAct act, List<FindViews.Choice> tasks, String to) {
    List<FindViews.Refused> refused = new ArrayList<>();
    for (FindViews.Choice task : tasks) {
      try {
        visit.send(
            Call.to(act, task.taskId())
                .with("expectedEpoch", task.leaseEpoch())
                .with("expectedStatus", task.status())
                .with("reason", visit.form().given("reason")));
      } catch (FlowException e) {
        refused.add(new FindViews.Refused(task.taskId(), e.errorCode().code(), e.getMessage()));
      }
    }
    return new FindViews.Outcome(act.word(), tasks.size() - refused.size(), refused, to);
  }

  private static List<FindViews.Choice> choices(Visit visit) {
    List<String> seen = visit.form().all("task");
    if (seen.size() > MOST) {
      throw new FlowException(ErrorCode.INVALID_INPUT, visit.frame().t("find.selected.most", MOST));
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
