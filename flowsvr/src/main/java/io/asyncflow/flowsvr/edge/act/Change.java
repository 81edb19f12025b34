package io.asyncflow.flowsvr.edge.act;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.LinkedHashSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The members of an object that an act changed, before and after. A member that is not there is
 * left out.
 */
public record Change(ObjectNode before, ObjectNode after) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** Compares two objects, which are taken as JSON. */
  public static Change between(Object before, Object after) {
    JsonNode old = JSON.valueToTree(before);
    JsonNode now = JSON.valueToTree(after);
    Set<String> names = new LinkedHashSet<>(old.propertyNames());
    names.addAll(now.propertyNames());
    Change change = new Change(JSON.createObjectNode(), JSON.createObjectNode());
    for (String name : names) {
      JsonNode from = old.path(name);
      JsonNode to = now.path(name);
      if (!from.equals(to)) {
        put(change.before, name, from);
        put(change.after, name, to);
      }
    }
    return change;
  }

  private static void put(ObjectNode target, String name, JsonNode value) {
    if (!value.isMissingNode()) {
      target.set(name, value);
    }
  }

  @JsonIgnore
  public boolean isEmpty() {
    return before.isEmpty() && after.isEmpty();
  }
}
