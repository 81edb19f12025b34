package io.asyncflow.console.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.StoreKey;
import io.asyncflow.console.JsonOperator;
import io.asyncflow.console.Live;
import io.asyncflow.console.OperatorClient;
import io.asyncflow.console.SampleApi;
import io.asyncflow.console.frame.Form;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import tools.jackson.databind.JsonNode;

class TypeNamesTest {

  private final SampleApi api = new SampleApi();
  private final List<Map<String, ?>> asked = new ArrayList<>();
  private final OperatorClient calls = new Listening();

  @Test
  void lookOfAnOpenPageAsksForNoTypes() {
    MockHttpServletRequest look = new MockHttpServletRequest();
    look.addHeader(Live.HEADER, "1");

    assertThat(TypeNames.read(calls, new Form(look)).all()).isEmpty();
    assertThat(asked).isEmpty();
  }

  @Test
  void suggestedTypesAreThoseThatTheServerKnowsAlready() {
    assertThat(TypeNames.read(calls, new Form(new MockHttpServletRequest())).all()).contains("tts");
    assertThat(asked).containsExactly(Map.of("maxAgeMs", 60_000));
  }

  private final class Listening extends JsonOperator {

    @Override
    public JsonNode call(String path, Map<String, ?> fields) {
      asked.add(fields);
      return api.call(path, fields);
    }

    @Override
    public void read(StoreKey key, HttpServletResponse to) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void readInput(String jobId, HttpServletResponse to) {
      throw new UnsupportedOperationException();
    }
  }
}
