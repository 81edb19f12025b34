package io.asyncflow.flowsvr.lease;

import static org.springframework.web.bind.annotation.RequestMethod.GET;
import static org.springframework.web.bind.annotation.RequestMethod.POST;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.Fields;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

@RestController
@RequestMapping("/api/task")
class HoldController {

  private final TaskHolds holds;

  HoldController(TaskHolds holds) {
    this.holds = holds;
  }

  record Held(List<Task> taskList) {}

  /** Answered later, by another thread, while the hold is parked. */
  @RequestMapping(
      path = {"/hold_task", "/holdTask"},
      method = {GET, POST})
  DeferredResult<Envelope<Held>> hold(Fields in) {
    Hold hold = HoldForm.read(in);
    DeferredResult<Envelope<Held>> answer = new DeferredResult<>();
    CompletableFuture<List<Task>> tasks = holds.hold(hold);
    answer.onTimeout(() -> tasks.cancel(false));
    answer.onError(failure -> tasks.cancel(false)); // the client is gone: take nothing for it
    tasks.whenComplete(
        (held, failure) -> {
          if (failure == null) {
            answer.setResult(Envelope.ok(new Held(held)));
          } else {
            answer.setErrorResult(failure);
          }
        });
    return answer;
  }
}
