package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/**
 * The records of the wire as JSON.
 *
 * <p>With Jackson 2, because its annotations are managed to one version or another by every
 * framework: it works with those of Spring Boot 3.5, and Jackson 3 does not.
 */
final class WireJson {

  /** Members that a later version adds are ignored; a missing number is an error, and no zero. */
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_NULL, JsonInclude.Include.USE_DEFAULTS))
          .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private WireJson() {}

  static ObjectReader readerOf(Class<?> type) {
    return JSON.readerFor(type);
  }

  /** Of a record with one type parameter. */
  static ObjectReader readerOf(Class<?> type, Class<?> parameter) {
    return JSON.readerFor(JSON.getTypeFactory().constructParametricType(type, parameter));
  }

  static ObjectNode treeOf(Object body) {
    return JSON.valueToTree(body);
  }

  private record Body(@JsonUnwrapped Record record, @JsonAnyGetter Map<String, Object> fields) {}

  /** What a call says. */
  static byte[] bytesOf(Call<?> call) {
    try {
      if (call.body() == null || call.fields().isEmpty()) {
        return JSON.writeValueAsBytes(call.body() == null ? call.fields() : call.body());
      }
      return JSON.writeValueAsBytes(new Body(call.body(), call.fields()));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "a call " + call.path() + " cannot be written as JSON: " + e.getMessage(), e);
    }
  }
}
