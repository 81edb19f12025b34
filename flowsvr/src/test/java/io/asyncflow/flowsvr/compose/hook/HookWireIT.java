package io.asyncflow.flowsvr.compose.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.wire.Wire;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** What the calls about hooks take and refuse. */
@HookServer
@Tag("contract")
class HookWireIT {

  @Autowired HookActs acts;
  @Autowired HookStore store;
  @LocalServerPort int port;
  private Wire wire;
  private Hooks hooks;

  @BeforeEach
  void connect() {
    wire = new Wire(port);
    hooks = new Hooks(wire);
  }

  @AfterEach
  void leaveNoHook() {
    hooks.deleteAll();
  }

  @Test
  void everyBadFieldIsNamed() {
    Wire.Answer answer =
        wire.post(
            "/api/hook/save",
            "{'url':'http://localhost/','taskTypes':['a b'],'kinds':['NOTHING'],'state':'DISABLED',"
                + "'types':['lark']}");

    assertThat(answer.code()).isEqualTo(8020);
    assertThat(answer.badFields())
        .containsExactlyInAnyOrder("name", "url", "taskTypes", "kinds", "state", "types");
  }

  @Test
  void typeThatDoesNotExistIsRefused() {
    Wire.Answer answer =
        hooks.save("of a typo", "https://localhost/", ",'taskTypes':['flow_webhook','nosuchtype']");

    assertThat(answer.code()).isEqualTo(8042);
    assertThat(answer.msg()).contains("nosuchtype");
    assertThat(wire.get("/api/hook/list").result().path("hookList")).isEmpty();
  }

  @Test
  void urlThatIsNotListedIsRefused() {
    Wire.Answer answer = hooks.save("elsewhere", "https://hooks.example.com/", "");

    assertThat(answer.code()).isEqualTo(8020);
    assertThat(answer.msg())
        .isEqualTo("url names a host that FLOW_HOOK_ALLOW of the servers does not list");
    assertThat(hooks.save("inside", "https://169.254.169.254/", "").code()).isEqualTo(8020);
  }

  @Test
  void hookIsKnownByItsNameOrItsId() {
    Hooks.Saved hook = hooks.save("https://localhost/", ",'kinds':['failed','POISON']");

    assertThat(hook.secret()).matches("whsec_[A-Za-z0-9+/]{43}=");
    assertThat(hooks.listed(hook).toString())
        .contains("\"kinds\":[\"FAILED\",\"POISON\"]", "\"taskTypes\":[]", "\"state\":\"ACTIVE\"")
        .doesNotContain("whsec_");
    assertThat(wire.post("/api/hook/rotate", "{'name':'" + hook.name() + "'}").result().toString())
        .contains(hook.id(), "whsec_");
    assertThat(wire.post("/api/hook/rotate", "{}").badFields()).containsExactly("hookId");
    assertThat(wire.post("/api/hook/rotate", "{'hookId':'1'}").code()).isEqualTo(8039);
    assertThat(wire.post("/api/hook/delete", "{'name':'" + hook.name() + "'}").code()).isZero();
    assertThat(wire.post("/api/hook/delete", "{'name':'" + hook.name() + "'}").status())
        .isEqualTo(404);
  }

  @Test
  void saveOfANameThatExistsChangesTheHookAndKeepsItsSecret() {
    Hooks.Saved hook = hooks.save("https://localhost/", ",'state':'PAUSED'");
    Wire.Answer answer = hooks.save(hook.name(), "https://localhost/other", "");

    assertThat(answer.result().toString()).isEqualTo("{\"hookId\":\"" + hook.id() + "\"}");
    assertThat(hooks.stateOf(hook)).isEqualTo("PAUSED");
    assertThat(hooks.listed(hook).path("url").asString()).isEqualTo("https://localhost/other");
  }

  @Test
  void hookThatIsSavedManyTimesAtOnceIsCreatedOnce() {
    List<Wire.Answer> answers =
        AtOnce.from(12, i -> hooks.save("at once", "https://localhost/" + i, ""));

    assertThat(answers).allSatisfy(answer -> assertThat(answer.code()).isZero());
    assertThat(answers)
        .extracting(a -> a.result().path("hookId").asString())
        .containsOnly(id(answers));
    assertThat(answers).filteredOn(answer -> answer.result().has("secret")).hasSize(1);
  }

  private static String id(List<Wire.Answer> answers) {
    return answers.get(0).result().path("hookId").asString();
  }

  @Test
  void testOfAHookThatIsDeletedMeanwhileLeavesNoTask() {
    Hooks.Saved hook = hooks.save("https://localhost/", "");
    HookRow before = store.find(Long.parseLong(hook.id())).orElseThrow();
    hooks.call("delete", hook);

    assertThatThrownBy(() -> acts.test(before, Reason.NONE))
        .isInstanceOf(NoSuchHookException.class);
    assertThat(hooks.deliveries(hook)).isEmpty();
  }

  @Test
  void noMoreThanAHundredHooksAreTaken() {
    IntStream.range(0, 100).forEach(i -> hooks.save("https://localhost/", ",'state':'PAUSED'"));

    Wire.Answer answer = hooks.save("one too many", "https://localhost/", "");
    assertThat(answer.code()).isEqualTo(8080);
    assertThat(answer.msg()).contains("100");
  }

  @Test
  void typesOfTheServerItselfAreNotForClients() {
    String task = "{'taskData':{'userId':'u','taskType':'flow_webhook','taskStage':'s'}}";
    assertReserved(wire.post("/api/task/createTask", task), "taskData.taskType");
    assertReserved(wire.post("/api/task/hold_task", "{'taskType':'FLOW_x'}"), "taskType");
    assertReserved(
        wire.post("/api/task_schedule_cfg/save", "{'task_type':'Flow_webhook'}"), "task_type");
    assertReserved(
        wire.post(
            "/api/job/createJob",
            "{'jobData':{'userId':'u','jobType':'a','childType':'flow_webhook','jobInput':''}}"),
        "jobData.childType");
    assertReserved(
        wire.post(
            "/api/schedule/save",
            "{'scheduleData':{'name':'s','everyMs':60000,"
                + "'taskData':{'userId':'u','taskType':'flow_webhook','taskStage':'s'}}}"),
        "scheduleData.taskData.taskType");
  }

  private static void assertReserved(Wire.Answer answer, String field) {
    assertThat(answer.code()).as(answer.http().body()).isEqualTo(8020);
    assertThat(answer.badFields()).containsExactly(field);
    assertThat(answer.msg()).contains("begins with flow_");
  }
}
