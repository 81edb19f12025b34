package io.asyncflow.worker.internal.json;

import java.lang.reflect.Type;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;

/** With Jackson 3. */
final class Jackson3Text implements JsonText {

  private final JsonMapper json =
      JsonMapper.builder()
          .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
          .build();

  @Override
  public Object read(String text, Type type) throws UnfitException {
    try {
      return json.readValue(text, json.constructType(type));
    } catch (JacksonException e) {
      throw new UnfitException(e.getOriginalMessage(), isJson(text));
    }
  }

  private boolean isJson(String text) {
    try {
      json.readTree(text);
      return true;
    } catch (JacksonException e) {
      return false;
    }
  }

  @Override
  public String write(Object value) throws UnfitException {
    try {
      return json.writeValueAsString(value);
    } catch (JacksonException e) {
      throw new UnfitException(e.getOriginalMessage(), true);
    }
  }
}
