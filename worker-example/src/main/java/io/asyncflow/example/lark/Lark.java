package io.asyncflow.example.lark;

import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageResult;
import org.springframework.stereotype.Component;

/** Hello world: one type, one stage, one method. */
@Component
class Lark {

  private final Messages messages;

  Lark(Messages messages) {
    this.messages = messages;
  }

  @Stage(type = "lark", stage = "sendmsg")
  StageResult sendMessage(StageContext context, Message message) {
    require("ReqBody", message.body());
    require("toAddr", message.toAddr());
    messages.send(context.taskId(), message);
    return StageResult.done(new Sent(message.toAddr(), context.attempt()));
  }

  /** A missing field would be missing in every attempt, so the task fails for good. */
  private static void require(String field, String value) {
    if (value == null || value.isBlank()) {
      throw new NonRetryableException("The message has no " + field + ".");
    }
  }

  /** The task's result. */
  record Sent(String sentTo, int attempt) {}
}
