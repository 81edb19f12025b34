package io.asyncflow.flowsvr.front.compat;

import static io.asyncflow.flowsvr.front.compat.OldCall.CREATE_TASK;
import static io.asyncflow.flowsvr.front.compat.OldCall.GET_TASK;
import static io.asyncflow.flowsvr.front.compat.OldCall.HOLD_TASKS;
import static io.asyncflow.flowsvr.front.compat.OldCall.LIST_TASKS;
import static io.asyncflow.flowsvr.front.compat.OldCall.LIST_TASKS_OF_USER;
import static io.asyncflow.flowsvr.front.compat.OldCall.LIST_TYPES;
import static io.asyncflow.flowsvr.front.compat.OldCall.SAVE_TYPE;
import static io.asyncflow.flowsvr.front.compat.OldCall.SET_TASK;
import static java.util.stream.Collectors.toUnmodifiableMap;

import io.asyncflow.flowsvr.edge.web.read.FieldNames;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.springframework.core.env.Environment;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The dialects of old clients: their paths, the names of their members, and in which form these
 * have their values.
 *
 * <p>The Go and C++ projects share statuses, times and the envelope. The C++ one refuses an answer
 * with a member that it does not know, so it has a row of its own.
 */
enum Dialect {
  JAVA(
      new Switch("flow.compat.legacy-paths", "true"),
      Map.of(
          "/task/create_task", CREATE_TASK,
          "/task/get_task", GET_TASK,
          "/task/task_list", LIST_TASKS,
          "/task/user_task_list", LIST_TASKS_OF_USER,
          "/task/hold_task", HOLD_TASKS,
          "/task/set_task", SET_TASK,
          "/task_schedule_cfg/list", LIST_TYPES,
          "/task_schedule_cfg/task_configuration", SAVE_TYPE),
      new Results("task_id", "taskData", "taskList", "scheduleCfgList"),
      Members.of(FieldNames::toSnakeCase, OldValue.OF_JAVA, ""),
      Members.ofType(FieldNames::toSnakeCase, OldValue.OF_JAVA, "maxRetryInterval")),
  /** Of the Go projects with a prefix. */
  GO_V1(
      new Switch("flow.compat.go-paths", "true"),
      goPaths("/v1"),
      new Results("task_id", "task_data", "task_list", "task_schedule_cfg_list"),
      Members.of(Dialect::goSnakeCase, OldValue.OF_GO, ""),
      Members.ofType(FieldNames::toSnakeCase, OldValue.OF_GO, "")),
  /** Of those without one. */
  GO(
      new Switch("flow.compat.go-paths", "true"),
      goPaths(""),
      new Results("taskId", "taskData", "taskList", "scheduleCfgList"),
      Members.of(Dialect::goCamelCase, OldValue.OF_GO, ""),
      Members.ofType(name -> name, OldValue.OF_GO, "retryInterval")),
  CPP(
      new Switch("flow.compat.go-paths", "cpp"),
      goPaths(""),
      new Results("task_id", "task_data", "taskList", "scheduleCfgList"),
      Members.of(Dialect::goCamelCase, OldValue.OF_GO, "priority"),
      Members.ofType(name -> name, OldValue.OF_GO, "retryInterval"));

  /** The setting, and its value, with which a dialect is on. */
  private record Switch(String setting, String value) {}

  /** Under which names the results of calls stand. */
  record Results(String taskId, String task, String tasks, String types) {}

  private final Switch on;
  private final Map<String, OldCall> paths;
  private final Results results;
  private final Members task;
  private final Members type;

  Dialect(Switch on, Map<String, OldCall> paths, Results results, Members task, Members type) {
    this.on = on;
    this.paths = paths;
    this.results = results;
    this.task = task;
    this.type = type;
  }

  boolean isOn(Environment settings) {
    return on.value().equals(settings.getProperty(on.setting()));
  }

  Map<String, OldCall> paths() {
    return paths;
  }

  Results results() {
    return results;
  }

  Members task() {
    return task;
  }

  Members type() {
    return type;
  }

  /** Whether results stand beside {@code code} and {@code msg}, and not in {@code result}. */
  boolean isFlat() {
    return this != JAVA;
  }

  /** Whether its workers hold more than they run, and lay it into a queue. */
  boolean hasQueue() {
    return this == JAVA;
  }

  /** Whether its clients call JSON a plain text. */
  boolean sendsPlainText() {
    return this == CPP;
  }

  private static Map<String, OldCall> goPaths(String prefix) {
    return Map.of(
        prefix + "/create_task", CREATE_TASK,
        prefix + "/get_task", GET_TASK,
        prefix + "/get_task_list", LIST_TASKS,
        prefix + "/hold_tasks", HOLD_TASKS,
        prefix + "/set_task", SET_TASK,
        prefix + "/get_task_schedule_cfg_list", LIST_TYPES,
        prefix + "/get_config_list", LIST_TYPES,
        prefix + "/register_task", SAVE_TYPE);
  }

  private static String goCamelCase(String name) {
    return name.equals("taskContext") ? "context" : name;
  }

  private static String goSnakeCase(String name) {
    return FieldNames.toSnakeCase(goCamelCase(name));
  }

  /** The members of a task, or of a type. */
  static final class Members {

    private static final List<String> OF_TASK =
        List.of(
            "userId",
            "taskId",
            "taskType",
            "taskStage",
            "orderTime",
            "priority",
            "status",
            "crtRetryNum",
            "maxRetryNum",
            "maxRetryInterval",
            "scheduleLog",
            "taskContext",
            "createTime",
            "modifyTime");

    private static final List<String> OF_TYPE =
        List.of(
            "taskType",
            "scheduleLimit",
            "scheduleInterval",
            "maxProcessingTime",
            "maxRetryNum",
            "retryInterval",
            "maxRetryInterval",
            "createTime",
            "modifyTime");

    /**
     * @param ofApi its name there
     */
    private record Member(String ofApi, String name, OldValue value) {}

    private final List<Member> all;
    private final Map<String, Member> byName;

    private Members(
        List<String> names,
        UnaryOperator<String> ofApi,
        UnaryOperator<String> naming,
        Map<String, OldValue> values,
        String without) {
      this.all =
          names.stream()
              .filter(name -> !name.equals(without))
              .map(
                  name ->
                      new Member(
                          ofApi.apply(name),
                          naming.apply(name),
                          values.getOrDefault(name, OldValue.OF_API)))
              .toList();
      this.byName =
          all.stream()
              .collect(
                  toUnmodifiableMap(
                      member -> FieldNames.toCamelCase(member.name()), Function.identity()));
    }

    private static Members of(
        UnaryOperator<String> naming, Map<String, OldValue> values, String without) {
      return new Members(OF_TASK, UnaryOperator.identity(), naming, values, without);
    }

    /** The API has the members of types in snake_case. */
    private static Members ofType(
        UnaryOperator<String> naming, Map<String, OldValue> values, String without) {
      return new Members(OF_TYPE, FieldNames::toSnakeCase, naming, values, without);
    }

    /** A request with the names and values of the API; what it has besides stays. */
    ObjectNode read(ObjectNode sent) {
      ObjectNode read = JsonNodeFactory.instance.objectNode();
      sent.properties()
          .forEach(
              entry -> {
                Member member = byName.get(FieldNames.toCamelCase(entry.getKey()));
                if (member == null) {
                  read.set(entry.getKey(), entry.getValue());
                } else {
                  JsonNode value = member.value().read(entry.getValue());
                  if (value != null) {
                    read.set(member.ofApi(), value);
                  }
                }
              });
      return read;
    }

    /** An answer of the API with these members and no others. */
    ObjectNode write(JsonNode ofApi) {
      ObjectNode written = JsonNodeFactory.instance.objectNode();
      for (Member member : all) {
        if (ofApi.has(member.ofApi())) {
          written.set(member.name(), member.value().write(ofApi.get(member.ofApi())));
        }
      }
      return written;
    }
  }
}
