package io.asyncflow.console;

import io.asyncflow.api.Call;
import java.util.Map;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Answers calls by JSON, as a server does. */
public abstract class JsonOperator implements OperatorClient {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final TypeReference<Map<String, Object>> FIELDS = new TypeReference<>() {};

  /**
   * Makes a call.
   *
   * @return the {@code result} of the answer
   */
  public abstract JsonNode call(String path, Map<String, ?> fields);

  @Override
  public final <T> T send(Call<T> call) {
    ObjectNode envelope = JSON.createObjectNode().put("code", 0);
    envelope.set("result", call(call.path(), JSON.readValue(call.json(), FIELDS)));
    return call.answer().read(JSON.writeValueAsBytes(envelope));
  }
}
