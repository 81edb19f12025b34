package io.asyncflow.rules.field;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.asyncflow.api.FieldError;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The fields of a call's records, which are read and refused as the server reads and refuses their
 * JSON. Not thread-safe.
 */
public final class SentFields implements FieldSource {

  /** Before this moment a time of today looks like seconds. */
  private static final long LEAST_EPOCH_MS = 100_000_000_000L;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final String path;
  private final boolean hasEarlyClock;
  private final Map<String, Object> values = new HashMap<>();
  private final Map<String, String> spellings = new HashMap<>(); // of names that JSON spells apart
  private final List<FieldError> errors = new ArrayList<>();
  private final List<SentFields> parts = new ArrayList<>();
  private int tooLarge;
  private Record object; // whose fields these are; null for none
  private boolean isNoObject; // null in the place of one; the error is already recorded

  public SentFields() {
    this("", false);
  }

  private SentFields(String path, boolean hasEarlyClock) {
    this.path = path;
    this.hasEarlyClock = hasEarlyClock;
  }

  /**
   * The fields of a call at this time.
   *
   * @param now epoch ms. Under a clock that stands in the first years, any number is a moment
   */
  public static SentFields at(long now) {
    return new SentFields("", now < LEAST_EPOCH_MS);
  }

  /**
   * Adds a field.
   *
   * @param value {@code null} if it is absent; a text, a number, a truth value, an enum, a record,
   *     or a collection of these
   */
  public SentFields with(String name, Object value) {
    values.put(name, value);
    return this;
  }

  /**
   * Adds the fields of an object.
   *
   * @param source {@code null} for none
   */
  public SentFields withAll(Record source) {
    object = source;
    if (source != null) {
      for (RecordComponent field : source.getClass().getRecordComponents()) {
        try {
          values.put(field.getName(), field.getAccessor().invoke(source));
        } catch (ReflectiveOperationException e) {
          throw new IllegalStateException("the records of the API are public", e);
        }
        JsonProperty spelling = field.getAccessor().getAnnotation(JsonProperty.class);
        if (spelling != null) {
          spellings.put(field.getName(), spelling.value());
        }
      }
    }
    return this;
  }

  @Override
  public SentFields object(String name) {
    SentFields part =
        new SentFields(pathOf(name) + ".", hasEarlyClock).withAll((Record) values.get(name));
    parts.add(part);
    return part;
  }

  @Override
  public List<SentFields> objects(String name, int min, int max) {
    List<SentFields> items = separateObjects(name, min, max);
    parts.addAll(items);
    return items;
  }

  /** As {@link #objects}, but each item reports its own errors. */
  public List<SentFields> separateObjects(String name, int min, int max) {
    List<SentFields> items = new ArrayList<>();
    Collection<?> objects = (Collection<?>) values.get(name);
    if (objects == null) {
      if (min > 0) {
        refuse(name, "is required");
      }
    } else if (!refuseSize(name, objects.size(), min, max)) {
      for (Object item : objects) {
        String itemPath = pathOf(name) + "[" + items.size() + "]";
        SentFields part = new SentFields(itemPath + ".", hasEarlyClock).withAll((Record) item);
        if (item == null) {
          part.errors.add(new FieldError(itemPath, "must be an object"));
          part.isNoObject = true;
        }
        items.add(part);
      }
    }
    return items;
  }

  /**
   * @throws io.asyncflow.api.FlowException that names every invalid field, if there is one
   */
  public void refuseIfBad() {
    List<FieldError> all = new ArrayList<>();
    int sizes = collect(all);
    if (!all.isEmpty()) {
      throw Refusal.of(all, sizes);
    }
  }

  private int collect(List<FieldError> all) {
    all.addAll(errors);
    int sizes = tooLarge;
    for (SentFields part : parts) {
      sizes += part.collect(all);
    }
    return sizes;
  }

  @Override
  public boolean has(String name) {
    return values.get(name) != null;
  }

  @Override
  public TextField text(String name) {
    Object value = values.get(name);
    return new TextField(this, name, value == null ? null : value.toString());
  }

  @Override
  public NumberField number(String name) {
    Object value = values.get(name);
    return new NumberField(this, name, value == null ? null : ((Number) value).longValue());
  }

  @Override
  public NamesField names(String name) {
    Object value = values.get(name);
    if (value == null) {
      return new NamesField(this, name, null);
    }
    List<String> names = new ArrayList<>();
    for (Object element : (Collection<?>) value) {
      if (element == null) {
        return NamesField.invalid(this, name, "must be a list of texts");
      }
      names.add(element.toString());
    }
    return new NamesField(this, name, names);
  }

  @Override
  public Boolean flag(String name) {
    return (Boolean) values.get(name);
  }

  @Override
  public String prose(String name) {
    Object value = values.get(name);
    return value == null ? "" : TextField.keepable(value.toString());
  }

  @Override
  public int jsonBytes() {
    return jsonBytes(object);
  }

  /**
   * The size of an object as JSON.
   *
   * @param object {@code null} for none
   */
  static int jsonBytes(Record object) {
    try {
      return object == null
          ? 0
          : JSON.writeValueAsString(object).getBytes(StandardCharsets.UTF_8).length;
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the records of the API are JSON", e);
    }
  }

  /** Records have no unknown fields. */
  @Override
  public void refuseUnknown(Set<String> known) {}

  @Override
  public boolean hasEarlyClock() {
    return hasEarlyClock;
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

  private String pathOf(String name) {
    return path + spellings.getOrDefault(name, name);
  }
}
