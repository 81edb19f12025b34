package io.asyncflow.flowsvr.web.read;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a request says, whichever way it says it: query parameters, form fields and the JSON body
 * are one view, {@code user_id} and {@code userId} one name.
 *
 * <p>A field is asked for by its camelCase name and refined step by step; what is wrong with it is
 * remembered under its path, and {@link #refuseIfBad()} tells everything at once. A field that is
 * absent, {@code null}, or an empty text where a number is wanted, is {@code null}.
 *
 * <pre>{@code
 * String userId = in.text("userId").required().max(128).value();
 * Integer priority = in.number("priority").between(0, 31_536_000).asInteger();
 * in.refuseIfBad();
 * }</pre>
 *
 * <p>Where a field comes twice, the body wins over the query string, and camelCase over snake_case.
 * Not thread-safe.
 */
public final class Fields {

  private static final int MAX_ERRORS = 100;
  private static final int ERRORS_IN_MESSAGE = 3;
  static final int MAX_NAME = 64;

  private final String path;
  private final UnaryOperator<String> naming;
  private final Map<String, JsonNode> values = new HashMap<>();
  private final Map<String, String> spellings = new HashMap<>(); // of those in snake_case
  private final List<FieldError> errors = new ArrayList<>();
  private final List<Fields> parts = new ArrayList<>();
  private int tooLarge;
  private boolean isNone; // not even an object: enough has been said about it

  private Fields(String path, UnaryOperator<String> naming) {
    this.path = path;
    this.naming = naming;
  }

  /** One view over several sources, of which the later win. */
  static Fields of(List<ObjectNode> sources) {
    Fields fields = new Fields("", UnaryOperator.identity());
    sources.forEach(fields::putAll);
    return fields;
  }

  private void putAll(ObjectNode source) {
    Map<String, JsonNode> named = values.isEmpty() ? values : new HashMap<>();
    for (Map.Entry<String, JsonNode> entry : source.properties()) {
      String name = FieldNames.toCamelCase(entry.getKey());
      if (name.equals(entry.getKey())) {
        named.put(name, entry.getValue());
        spellings.remove(name);
      } else {
        if (!values.containsKey(name) && !named.containsKey(name)) {
          spellings.put(name, entry.getKey());
        }
        named.putIfAbsent(name, entry.getValue());
      }
    }
    if (named != values) {
      values.putAll(named);
    }
  }

  /** The same fields, called by their snake_case names in errors. */
  public Fields inSnakeCase() {
    Fields renamed = new Fields(path, FieldNames::toSnakeCase);
    renamed.values.putAll(values);
    renamed.spellings.putAll(spellings);
    return renamed;
  }

  /** Whether the field is there and not {@code null}. */
  public boolean has(String name) {
    return node(name) != null;
  }

  /** Whether the field is there as {@code null}, or as the empty text that a form has for it. */
  public boolean isNull(String name) {
    JsonNode value = values.get(name);
    return value != null && (value.isNull() || value.isString() && value.asString().isEmpty());
  }

  public TextField text(String name) {
    return new TextField(this, name, node(name));
  }

  public NumberField number(String name) {
    return new NumberField(this, name, node(name));
  }

  public NamesField names(String name) {
    return new NamesField(this, name, node(name));
  }

  /** The fields of an object; none if there is no such object. */
  public Fields object(String name) {
    Fields part = part(pathOf(name));
    JsonNode value = node(name);
    if (value instanceof ObjectNode object) {
      part.putAll(object);
    } else if (value != null) {
      refuse(name, "must be an object");
      part.isNone = true;
    }
    parts.add(part);
    return part;
  }

  /** All fields together, for what is only kept and shown again; empty if it is too large. */
  public ObjectNode json(int maxBytes) {
    ObjectNode all = JsonNodeFactory.instance.objectNode();
    values.forEach(all::set);
    if (all.toString().getBytes(StandardCharsets.UTF_8).length <= maxBytes) {
      return all;
    }
    tooLarge++;
    errors.add(new FieldError(path, "must be at most " + maxBytes + " bytes of JSON"));
    return JsonNodeFactory.instance.objectNode();
  }

  /** The fields of each object of a list, which is required unless {@code min} is 0. */
  public List<Fields> objects(String name, int min, int max) {
    List<Fields> items = separateObjects(name, min, max);
    parts.addAll(items);
    return items;
  }

  /** The same, but what is wrong with an item is told by that item alone. */
  public List<Fields> separateObjects(String name, int min, int max) {
    JsonNode value = node(name);
    if (value == null) {
      if (min > 0) {
        refuse(name, "is required");
      }
      return List.of();
    }
    if (!value.isArray()) {
      refuse(name, "must be a list of objects");
      return List.of();
    }
    if (value.size() < min || value.size() > max) {
      refuse(name, "must have " + min + " to " + max + " items, not " + value.size());
      return List.of();
    }
    List<Fields> items = new ArrayList<>(value.size());
    for (JsonNode element : value) {
      Fields item = part(pathOf(name) + "[" + items.size() + "]");
      if (element instanceof ObjectNode object) {
        item.putAll(object);
      } else {
        item.errors.add(new FieldError(item.path, "must be an object"));
        item.isNone = true;
      }
      items.add(item);
    }
    return items;
  }

  /** Remembers that a field is bad. */
  public void refuse(String name, String message) {
    if (!isNone) {
      errors.add(new FieldError(pathOf(name), message));
    }
  }

  /** Remembers that a field is too large, which has a code of its own. */
  void refuseAsTooLarge(String name, String message) {
    tooLarge++;
    refuse(name, message);
  }

  /** Refuses every field that is not among {@code known}. */
  public void refuseUnknown(Set<String> known) {
    for (String name : values.keySet()) {
      if (!known.contains(name)) {
        errors.add(
            new FieldError(
                path + Printable.of(spellings.getOrDefault(name, name), MAX_NAME), "is unknown"));
      }
    }
  }

  /**
   * What is only shown to people and decides nothing: never refused, since nothing would be gained
   * by it. What cannot be kept of it becomes U+FFFD.
   *
   * @return empty if there is none
   */
  public String prose(String name) {
    JsonNode node = node(name);
    if (node == null) {
      return "";
    }
    return TextField.keepable(node.isString() ? node.asString() : node.toString());
  }

  /** Refuses what others call {@code rightName}: as an unknown field it would be lost silently. */
  public void refuseMisnomer(String name, String rightName) {
    if (has(name)) {
      refuse(name, "is not known here; the field is called " + rightName);
    }
  }

  /**
   * @throws FlowException that names every bad field, if any is
   */
  public void refuseIfBad() {
    refusal()
        .ifPresent(
            refusal -> {
              throw refusal;
            });
  }

  /** What {@link #refuseIfBad()} would throw. */
  public Optional<FlowException> refusal() {
    List<FieldError> all = new ArrayList<>();
    int sizes = collect(all);
    if (all.isEmpty()) {
      return Optional.empty();
    }
    ErrorCode code = sizes == all.size() ? ErrorCode.TOO_LARGE : ErrorCode.INVALID_INPUT;
    List<FieldError> told = all.subList(0, Math.min(all.size(), MAX_ERRORS));
    return Optional.of(new FlowException(code, message(all), told, null));
  }

  /** Adds everything that is wrong here and below; returns how much of it is size. */
  private int collect(List<FieldError> all) {
    all.addAll(errors);
    int sizes = tooLarge;
    for (Fields part : parts) {
      sizes += part.collect(all);
    }
    return sizes;
  }

  private static String message(List<FieldError> all) {
    String first =
        all.stream()
            .limit(ERRORS_IN_MESSAGE)
            .map(error -> error.field() + " " + error.message())
            .collect(Collectors.joining("; "));
    int more = all.size() - ERRORS_IN_MESSAGE;
    return more > 0 ? first + "; and " + more + " more" : first;
  }

  private Fields part(String partPath) {
    return new Fields(partPath, naming);
  }

  private String pathOf(String name) {
    return path.isEmpty() ? naming.apply(name) : path + "." + naming.apply(name);
  }

  private JsonNode node(String name) {
    JsonNode value = values.get(name);
    return value == null || value.isNull() ? null : value;
  }
}
