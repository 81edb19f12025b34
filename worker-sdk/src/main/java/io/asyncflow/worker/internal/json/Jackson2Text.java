package io.asyncflow.worker.internal.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.lang.reflect.Type;

/** With Jackson 2, set to what {@link Jackson3Text} does. */
final class Jackson2Text implements JsonText {

  private final JsonMapper json =
      JsonMapper.builder()
          .addModules(new JavaTimeModule(), new Jdk8Module())
          .enable(
              MapperFeature.SORT_PROPERTIES_ALPHABETICALLY,
              MapperFeature.SORT_CREATOR_PROPERTIES_BY_DECLARATION_ORDER)
          .disable(
              MapperFeature.ALLOW_FINAL_FIELDS_AS_MUTATORS,
              MapperFeature.DEFAULT_VIEW_INCLUSION,
              MapperFeature.USE_GETTERS_AS_SETTERS)
          .enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING)
          .disable(
              SerializationFeature.FAIL_ON_EMPTY_BEANS,
              SerializationFeature.WRITE_DATES_AS_TIMESTAMPS,
              SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
          .enable(
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
              DeserializationFeature.READ_ENUMS_USING_TO_STRING)
          .disable(
              DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE,
              DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
              DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  @Override
  public Object read(String text, Type type) throws UnfitException {
    try {
      return json.readValue(text, json.constructType(type));
    } catch (JsonProcessingException e) {
      throw new UnfitException(e.getOriginalMessage(), isJson(text));
    }
  }

  private boolean isJson(String text) {
    try {
      json.readTree(text);
      return true;
    } catch (JsonProcessingException e) {
      return false;
    }
  }

  @Override
  public String write(Object value) throws UnfitException {
    try {
      return json.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new UnfitException(e.getOriginalMessage(), true);
    }
  }
}
