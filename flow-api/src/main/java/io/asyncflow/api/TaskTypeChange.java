package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Set;

/**
 * The settings of a task type that a save changes.
 *
 * @param settings {@code null} for what stays
 * @param removed {@code null} from now on; so they are not among the settings
 * @param operator who changes them; {@code null} for none
 * @param reason why; {@code null} for none
 */
public record TaskTypeChange(
    TaskTypeSettings settings,
    Set<TaskTypeSettings.Removable> removed,
    String operator,
    String reason) {

  @JsonValue
  ObjectNode json() {
    ObjectNode body = WireJson.treeOf(settings);
    body.put("operator", operator).put("reason", reason);
    body.properties().removeIf(member -> member.getValue().isNull());
    body.remove(List.of("create_time", "modify_time"));
    removed.forEach(setting -> body.putNull(setting.column()));
    return body;
  }
}
