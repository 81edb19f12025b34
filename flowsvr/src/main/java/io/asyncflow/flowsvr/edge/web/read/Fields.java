package io.asyncflow.flowsvr.edge.web.read;

import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import io.asyncflow.rules.field.FieldSource;
import io.asyncflow.rules.field.NamesField;
import io.asyncflow.rules.field.NumberField;
import io.asyncflow.rules.field.Refusal;
import io.asyncflow.rules.field.TextField;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The fields of a request. Query parameters, form fields and the JSON body form one view, and
 * {@code user_id} and {@code userId} are one name.
 *
 * <p>A field is read by its camelCase name and checked step by step. Errors are collected under the
 * field's path, and {@link #refuseIfBad()} reports all of them at once. A field that is absent or
 * {@code null}, or an empty text where a number is expected, is {@code null}.
 *
 * <pre>{@code
 * String userId = in.text("userId").required().max(128).value();
 * Integer priority = in.number("priority").between(0, 31_536_000).asInteger();
 * in.refuseIfBad();
 * }</pre>
 *
 * <p>If a field appears twice, the body wins over the query string, and camelCase over snake_case.
 * Not thread-safe.
 */
public final class Fields implements FieldSource {

  static final int MAX_NAME = 64;

  private final String path;
  private final UnaryOperator<String> naming;
  private final Map<String, JsonNode> values = new HashMap<>();
  private final Map<String, String> spellings =
      new HashMap<>(); // by camelCase name, for fields sent in snake_case
  private final List<FieldError> errors = new ArrayList<>();
  private final List<Fields> parts = new ArrayList<>();
  private Map<String, Integer> roomier = Map.of(); // by name, also of the parts
  private Duration queueTime;
  private boolean respells;
  private int tooLarge;
  private boolean isNoObject; // not an object; the error is already recorded

  private Fields(String path, UnaryOperator<String> naming) {
    this.path = path;
    this.naming = naming;
  }

  /** One view of several sources; later sources win. */
  static Fields of(List<ObjectNode> sources) {
    Fields fields = new Fields("", UnaryOperator.identity());
    sources.forEach(fields::putAll);
    return fields;
  }

  /** The fields of a call that is made in this process. */
  public static Fields of(ObjectNode source) {
    return of(List.of(source));
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

  /** The same fields; errors name them in snake_case. */
  public Fields inSnakeCase() {
    Fields renamed = new Fields(path, FieldNames::toSnakeCase);
    renamed.values.putAll(values);
    renamed.spellings.putAll(spellings);
    renamed.roomier = roomier;
    renamed.queueTime = queueTime;
    renamed.respells = respells;
    return renamed;
  }

  /**
   * Reads another object in place of what was sent, for clients that speak a dialect.
   *
   * @param translation from an object with the names in camelCase, which it may change
   */
  public void translate(UnaryOperator<ObjectNode> translation) {
    ObjectNode sent = JsonNodeFactory.instance.objectNode();
    values.forEach(sent::set);
    ObjectNode read = translation.apply(sent);
    values.clear();
    putAll(read);
  }

  /**
   * Lets the texts of this name have so many bytes where a form allows fewer, here and in all
   * objects of these fields.
   */
  public void allowBytes(String name, int bytes) {
    roomier = Map.of(name, bytes);
  }

  /**
   * Lets a hold grant leases that cover the queue of an old worker.
   *
   * @param longest for how long a task may wait in that queue
   */
  public void allowQueue(Duration longest) {
    queueTime = longest;
  }

  /** Has a save of a type change how it is spelled, for clients that tell capitals apart. */
  public void allowRespelling() {
    respells = true;
  }

  /** Whether the type is to be spelled from now on as it is here. */
  public boolean respells() {
    return respells;
  }

  /** For how long a task may lie in the client's queue; {@code null} for a client of the API. */
  public Duration queueTime() {
    return queueTime;
  }

  @Override
  public int mostBytes(String name, int ofForm) {
    return Math.max(ofForm, roomier.getOrDefault(name, 0));
  }

  @Override
  public boolean has(String name) {
    return node(name) != null;
  }

  /**
   * Whether the field is present as {@code null}, or as an empty text, which stands for it in a
   * form.
   */
  public boolean isNull(String name) {
    JsonNode value = values.get(name);
    return value != null && (value.isNull() || value.isString() && value.asString().isEmpty());
  }

  /** A JSON integer is accepted, because some clients send ids as numbers. */
  @Override
  public TextField text(String name) {
    return JsonFields.text(this, name, node(name));
  }

  /**
   * Digits in a text are accepted, because query strings have no numbers and some clients send
   * texts; an empty text counts as absent.
   */
  @Override
  public NumberField number(String name) {
    return JsonFields.number(this, name, node(name));
  }

  /** As JSON or as a text; {@code null} also if the text is empty. */
  @Override
  public Boolean flag(String name) {
    JsonNode value = node(name);
    String text =
        value == null ? "" : value.isBoolean() || value.isString() ? value.asString() : "?";
    switch (text) {
      case "":
        return null;
      case "true", "false":
        return Boolean.valueOf(text);
      default:
        refuse(name, "must be true or false");
        return null;
    }
  }

  /** A comma-separated text or a list of texts. */
  @Override
  public NamesField names(String name) {
    return JsonFields.names(this, name, node(name));
  }

  @Override
  public Fields object(String name) {
    Fields part = part(pathOf(name));
    JsonNode value = node(name);
    if (value instanceof ObjectNode object) {
      part.putAll(object);
    } else if (value != null) {
      refuse(name, "must be an object");
      part.isNoObject = true;
    }
    parts.add(part);
    return part;
  }

  /**
   * All fields as one object, for data that is only stored and shown; empty if it exceeds {@code
   * maxBytes}.
   */
  public ObjectNode json(int maxBytes) {
    if (jsonBytes() <= maxBytes) {
      return json();
    }
    tooLarge++;
    errors.add(new FieldError(path, "must be at most " + maxBytes + " bytes of JSON"));
    return JsonNodeFactory.instance.objectNode();
  }

  /** All fields as one object. */
  public ObjectNode json() {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    values.forEach(object::set);
    return object;
  }

  @Override
  public int jsonBytes() {
    return json().toString().getBytes(StandardCharsets.UTF_8).length;
  }

  @Override
  public List<Fields> objects(String name, int min, int max) {
    List<Fields> items = separateObjects(name, min, max);
    parts.addAll(items);
    return items;
  }

  /** As {@link #objects}, but each item reports its own errors. */
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
    if (refuseSize(name, value.size(), min, max)) {
      return List.of();
    }
    List<Fields> items = new ArrayList<>(value.size());
    for (JsonNode element : value) {
      Fields item = part(pathOf(name) + "[" + items.size() + "]");
      if (element instanceof ObjectNode object) {
        item.putAll(object);
      } else {
        item.errors.add(new FieldError(item.path, "must be an object"));
        item.isNoObject = true;
      }
      items.add(item);
    }
    return items;
  }

  @Override
  public void refuse(String name, String message) {
    if (!isNoObject) {
      errors.add(new FieldError(pathOf(name), message));
    }
  }

  @Override
  public void refuseAsTooLarge(String name, String message) {
    tooLarge++;
    refuse(name, message);
  }

  @Override
  public void refuseUnknown(Set<String> knownNames) {
    for (String name : values.keySet()) {
      if (!knownNames.contains(name)) {
        errors.add(
            new FieldError(
                (path.isEmpty() ? "" : path + ".")
                    + Printable.of(spellings.getOrDefault(name, name), MAX_NAME),
                "is unknown"));
      }
    }
  }

  @Override
  public String prose(String name) {
    JsonNode node = node(name);
    if (node == null) {
      return "";
    }
    return TextField.keepable(node.isString() ? node.asString() : node.toString());
  }

  /**
   * @throws FlowException that names every invalid field, if there is one
   */
  public void refuseIfBad() {
    refusal()
        .ifPresent(
            refusal -> {
              throw refusal;
            });
  }

  /** The exception that {@link #refuseIfBad()} would throw. */
  public Optional<FlowException> refusal() {
    List<FieldError> allErrors = new ArrayList<>();
    int sizes = collect(allErrors);
    if (allErrors.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(Refusal.of(allErrors, sizes));
  }

  /** Collects the errors of these fields and all nested ones; returns how many are about size. */
  private int collect(List<FieldError> allErrors) {
    allErrors.addAll(errors);
    int sizes = tooLarge;
    for (Fields part : parts) {
      sizes += part.collect(allErrors);
    }
    return sizes;
  }

  private Fields part(String partPath) {
    Fields part = new Fields(partPath, naming);
    part.roomier = roomier;
    return part;
  }

  private String pathOf(String name) {
    return path.isEmpty() ? naming.apply(name) : path + "." + naming.apply(name);
  }

  private JsonNode node(String name) {
    JsonNode value = values.get(name);
    return value == null || value.isNull() ? null : value;
  }
}
