package io.asyncflow.flowsvr.operate.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.flowsvr.edge.access.KeysServers;
import io.asyncflow.flowsvr.operate.bulk.run.BulkPages;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;

/** Bulks of callers that may do less than everything. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BulkScopeIT {

  private static final long TERM = 1_000_000;
  private static final String ADMIN = KeysServers.ENVIRONMENT_KEY;

  private KeysServers servers;
  private Wire wire;
  private BulkStore store;
  private BulkPages pages;

  @BeforeAll
  void start() {
    servers = new KeysServers("bulk");
    ConfigurableApplicationContext server = servers.start("--flow.governance.sweep-interval=1h");
    wire = KeysServers.wireTo(server);
    store = server.getBean(BulkStore.class);
    pages = server.getBean(BulkPages.class);
    for (String type : List.of("ant_a", "bee_a")) {
      ok(post(ADMIN, "task_schedule_cfg/save", "{'task_type':'" + type + "'}"));
    }
  }

  @AfterAll
  void stop() {
    servers.close();
  }

  private Answer post(String key, String path, String json) {
    return wire.send(
        wire.request("/api/" + path)
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json.replace('\'', '"'))));
  }

  private static JsonNode ok(Answer answer) {
    assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
    return answer.result();
  }

  private JsonNode aKey(String name, String role, String more) {
    return ok(
        post(ADMIN, "key/create", "{'name':'" + name + "','roles':['" + role + "']" + more + "}"));
  }

  private String aTask(String type, String user) {
    return ok(post(
            ADMIN,
            "task/createTask",
            "{'taskData':{'userId':'%s','taskType':'%s','taskStage':'one','delayMs':3600000}}"
                .formatted(user, type)))
        .path("taskId")
        .asString();
  }

  private int status(String task) {
    return ok(post(ADMIN, "task/getTask", "{'taskId':'" + task + "'}"))
        .path("taskData")
        .path("status")
        .asInt();
  }

  private Answer preview(String key, String filter) {
    return post(key, "bulk/preview", "{'act':'CANCEL','filter':{" + filter + "}}");
  }

  private long started(String key, JsonNode preview) {
    return ok(start(key, preview)).path("bulkId").asLong();
  }

  private Answer start(String key, JsonNode preview) {
    return post(
        key,
        "bulk/start",
        "{'token':'%s','count':%s,'reason':'because'}"
            .formatted(
                preview.path("token").asString(), preview.path("count").path("count").asInt()));
  }

  private BulkRow runToTheEnd(long id) {
    for (BulkRow row = row(id); row.state() == BulkState.RUNNING; row = row(id)) {
      pages.next(row, TERM);
    }
    return row(id);
  }

  private BulkRow row(long id) {
    return store.find(id).orElseThrow();
  }

  @Test
  void theScopeOfTheCallerHoldsForEveryTask() {
    String key =
        aKey("ant", "OPERATOR", ",'types':['ant_*'],'users':['ada','bob']").path("key").asString();
    String seen = aTask("ant_a", "ada");
    String otherUser = aTask("ant_a", "carl");
    String otherType = aTask("bee_a", "ada");

    assertThat(preview(key, "'taskType':'bee_a'").code()).isEqualTo(8073);
    BulkRow bulk = runToTheEnd(started(key, ok(preview(key, "'status':'1'"))));

    assertThat(bulk.state()).isEqualTo(BulkState.DONE);
    assertThat(bulk.progress().done()).isEqualTo(1);
    assertThat(List.of(status(seen), status(otherUser), status(otherType)))
        .containsExactly(16, 1, 1);
    BulkRow named =
        runToTheEnd(
            started(key, ok(preview(key, "'taskId':['" + otherUser + "','" + otherType + "']"))));
    assertThat(named.progress().done()).isZero();
    assertThat(status(otherUser)).isEqualTo(1);
  }

  @Test
  void endsWhenTheKeyOfItsCallerIsRevoked() {
    JsonNode made = aKey("gone", "OPERATOR", "");
    String key = made.path("key").asString();
    String task = aTask("bee_a", "gone");
    long id = started(key, ok(preview(key, "'userId':'gone'")));

    ok(post(ADMIN, "key/revoke", "{'keyId':'" + made.path("keyId").asString() + "'}"));
    BulkRow bulk = runToTheEnd(id);

    assertThat(bulk.state()).isEqualTo(BulkState.FAILED);
    assertThat(bulk.error()).contains("may not do this any more");
    assertThat(status(task)).isEqualTo(1);
    assertThat(post(ADMIN, "bulk/resume", "{'bulkId':'" + id + "'}").code()).isEqualTo(8051);
  }

  @Test
  void aTokenIsOfOneCallerAndABulkIsSeenByItsOwnAndByCallersWithoutAScope() {
    String one = aKey("one", "OPERATOR", ",'types':['bee_*']").path("key").asString();
    String two = aKey("two", "OPERATOR", ",'types':['bee_*']").path("key").asString();
    JsonNode preview = ok(preview(one, "'userId':'nobody'"));

    assertThat(start(two, preview).code()).isEqualTo(8054);
    String bulk = "{'bulkId':'" + started(one, preview) + "'}";

    assertThat(post(two, "bulk/get", bulk).code()).isEqualTo(8041);
    assertThat(post(two, "bulk/stop", bulk).code()).isEqualTo(8041);
    assertThat(ok(post(two, "bulk/list", "{}")).path("bulks")).isEmpty();
    ok(post(one, "bulk/get", bulk));
    ok(post(ADMIN, "bulk/get", bulk));
  }

  @Test
  void theVerbOfTheActAndTheCapOfTheRoleAreNeeded() {
    String operator = aKey("capped", "OPERATOR", "").path("key").asString();
    String filter = "'filter':{'taskType':'bee_a'}";

    Answer expire = post(operator, "bulk/preview", "{'act':'EXPIRE_LEASE'," + filter + "}");
    Answer text = preview(operator, "'text':'secret'");
    Answer many = post(operator, "bulk/preview", "{'act':'RETRY','cap':10001," + filter + "}");
    JsonNode ofOperator = ok(post(operator, "bulk/preview", "{'act':'RETRY'," + filter + "}"));
    JsonNode ofAdmin = ok(post(ADMIN, "bulk/preview", "{'act':'EXPIRE_LEASE'," + filter + "}"));

    assertThat(expire.code()).isEqualTo(8072);
    assertThat(text.code()).isEqualTo(8072);
    assertThat(many.badFields()).containsExactly("cap");
    assertThat(ofOperator.path("cap").asInt()).isEqualTo(10_000);
    assertThat(ofAdmin.path("cap").asInt()).isEqualTo(10_000_000);
  }
}
