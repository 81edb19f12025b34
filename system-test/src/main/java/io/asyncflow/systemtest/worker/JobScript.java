package io.asyncflow.systemtest.worker;

import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the input of a test job says: what its children do, each one a {@link Script} that begins
 * with the first stage.
 *
 * @param children their contexts, in order
 */
public record JobScript(List<String> children) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** Children that behave like this. */
  public static JobScript of(Stream<Script> children) {
    return new JobScript(children.map(Script::json).toList());
  }

  /** As the input of a job. */
  public String json() {
    return JSON.writeValueAsString(this);
  }

  public static JobScript parse(String json) {
    return JSON.readValue(json, JobScript.class);
  }

  /** What the merge makes of the children's results: short, and another for any other order. */
  public static String merged(Stream<String> results) {
    List<String> inOrder = results.toList();
    return inOrder.size() + " results, " + Integer.toHexString(inOrder.hashCode());
  }
}
