package io.asyncflow.flowsvr.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.model.WrongCalls.Call;
import io.asyncflow.flowsvr.model.WrongCalls.Told;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The server answers the calls of {@link WrongCalls} as the table says, to which {@link
 * RefusedByFakeTest} and the tests of the SDK for Python hold the fakes.
 */
@RunningServer
class RefusedInputIT {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @LocalServerPort int port;

  @Test
  void serverAnswersWhatTheTableSays() throws Exception {
    URI url = URI.create("http://127.0.0.1:" + port);
    FlowClient client = new HttpFlowClient(url, null, Duration.ofMinutes(1));
    client.saveTaskType(TaskTypeSettings.named("refused"));
    Map<Call, Object> others = new LinkedHashMap<>();
    for (Call call : WrongCalls.all()) {
      Told told = call.isWire() ? post(call) : call.madeBy(client);
      if (!told.equals(call.told())) {
        others.put(call, told + " instead of " + call.told());
      }
    }
    assertThat(others).isEmpty();
  }

  private Told post(Call call) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + port + "/api/" + call.name());
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(call.body().toString()))
            .build();
    JsonNode answer = JSON.readTree(HTTP.send(request, BodyHandlers.ofString()).body());
    if (answer.path("code").asInt() != 0) {
      return new Told(answer.get("code").asInt(), answer.get("msg").asString());
    }
    for (JsonNode outcome : answer.path("result").path("outcomes")) {
      if (outcome.path("code").asInt() != 0) {
        return new Told(outcome.get("code").asInt(), outcome.get("msg").asString());
      }
    }
    return Told.ACCEPTED;
  }
}
