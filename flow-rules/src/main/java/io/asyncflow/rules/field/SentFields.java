package io.asyncflow.rules.field;

import io.asyncflow.api.FieldError;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of a call's records, which are read and refused as the server reads and refuses their
 * JSON.
 */
public final class SentFields implements FieldSource {

  private final String path;
  private final Map<String, Object> values = new HashMap<>();
  private final List<FieldError> errors = new ArrayList<>();
  private final List<SentFields> parts = new ArrayList<>();
  private int tooLarge;

  public SentFields() {
    this("");
  }

  private SentFields(String path) {
    this.path = path;
  }

  /**
   * Adds a field.
   *
   * @param value {@code null} if it is absent
   */
  public SentFields with(String name, Object value) {
    values.put(name, value);
    return this;
  }

  /**
   * Adds the fields of an object.
   *
   * @param object {@code null} for none
   */
  public SentFields withAll(Record object) {
    if (object != null) {
      for (RecordComponent field : object.getClass().getRecordComponents()) {
        try {
          values.put(field.getName(), field.getAccessor().invoke(object));
        } catch (ReflectiveOperationException e) {
          throw new IllegalStateException("the records of the API are public", e);
        }
      }
    }
    return this;
  }

  /** The fields of an object under a name. */
  public SentFields object(String name, Record object) {
    SentFields part = new SentFields(path + name + ".").withAll(object);
    parts.add(part);
    return part;
  }

  /** The fields of each object of a list; the list is required unless {@code min} is 0. */
  public List<SentFields> objects(String name, List<? extends Record> objects, int min, int max) {
    List<SentFields> items = new ArrayList<>();
    if (objects == null) {
      if (min > 0) {
        refuse(name, "is required");
      }
    } else if (!refuseSize(name, objects.size(), min, max)) {
      objects.forEach(object -> items.add(object(name + "[" + items.size() + "]", object)));
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
  public void refuse(String name, String message) {
    errors.add(new FieldError(path + name, message));
  }

  @Override
  public void refuseAsTooLarge(String name, String message) {
    tooLarge++;
    refuse(name, message);
  }
}
