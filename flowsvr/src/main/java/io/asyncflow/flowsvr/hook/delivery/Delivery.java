package io.asyncflow.flowsvr.hook.delivery;

import static java.util.stream.Collectors.joining;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.hook.core.HookRow;
import io.asyncflow.flowsvr.hook.egress.HookClient;
import java.io.IOException;
import java.util.Map;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** One attempt to deliver an event, as Standard Webhooks specifies. Thread-safe. */
@Component
class Delivery {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HookClient client;

  Delivery(HookClient client) {
    this.client = client;
  }

  /**
   * Sends the context of the task to the hook's URL.
   *
   * @param task held just now
   */
  Verdict attempt(HookRow hook, Task task) {
    String body = task.taskContext();
    String id = "evt_" + JSON.readTree(body).path("id").asString();
    long heldAt = task.modifyTime(); // by the database's clock, which is the only one
    String signatures =
        hook.secrets(heldAt).stream()
            .map(secret -> secret.sign(id, heldAt / 1_000, body))
            .collect(joining(" "));
    try {
      return Verdict.of(
          client.post(
              hook.url(),
              Map.of(
                  "webhook-id", id,
                  "webhook-timestamp", Long.toString(heldAt / 1_000),
                  "webhook-signature", signatures),
              body));
    } catch (IOException e) {
      return Verdict.of(e);
    }
  }
}
