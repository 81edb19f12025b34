package io.asyncflow.dev.text;

import com.fasterxml.jackson.annotation.JsonInclude.Include;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/** Answers of a server as JSON, for programs. */
public final class JsonText {

  /** Other characters could control a terminal. */
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .changeDefaultPropertyInclusion(nulls -> nulls.withValueInclusion(Include.NON_NULL))
          .build();

  private JsonText() {}

  /** One line, with the names of the API. */
  public static String of(Object answer) {
    return JSON.writeValueAsString(answer);
  }
}
