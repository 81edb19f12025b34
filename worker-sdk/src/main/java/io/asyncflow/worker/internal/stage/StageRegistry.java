package io.asyncflow.worker.internal.stage;

import io.asyncflow.api.OneLine;
import io.asyncflow.rules.field.NamesField;
import io.asyncflow.rules.field.TaskLimits;
import io.asyncflow.worker.BatchStageHandler;
import io.asyncflow.worker.InvalidSettingException;
import io.asyncflow.worker.InvalidStageException;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageNeeds;
import io.asyncflow.worker.WorkerSettings;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The handlers by type and stage; the only mapping of names to code. */
public final class StageRegistry {

  private static final Logger log = LoggerFactory.getLogger(StageRegistry.class);

  /** The same rule as in flowsvr: a type that ends like a table name would make ids ambiguous. */
  private static final Pattern TYPE = Pattern.compile("(?!.*_task(_[0-9]+)?$)[a-z][a-z0-9_]{0,30}");

  /** The maximum number of stages in one hold. */
  private static final int MOST_STAGES = 64;

  private final Map<String, Map<String, RegisteredStage>> types = new LinkedHashMap<>();

  /**
   * @throws InvalidStageException if a name is invalid, or the stage already has a handler
   */
  public void register(String taskType, String stage, StageHandler handler, StageNeeds needs) {
    Objects.requireNonNull(handler, "handler");
    register(taskType, new RegisteredStage(stage, handler, needs));
  }

  /**
   * @throws InvalidStageException if a name is invalid, or the stage already has a handler
   */
  public void register(String taskType, String stage, BatchStageHandler handler, StageNeeds needs) {
    Objects.requireNonNull(handler, "handler");
    register(taskType, new RegisteredStage(stage, handler, needs));
  }

  private void register(String taskType, RegisteredStage registered) {
    Objects.requireNonNull(taskType, "taskType");
    String stage = Objects.requireNonNull(registered.stage(), "stage");
    String type = taskType.toLowerCase(Locale.ROOT);
    if (!TYPE.matcher(type).matches()) {
      throw new InvalidStageException(
          "'" + taskType + "' cannot be a task type",
          "take a letter, then up to 30 of a-z, 0-9 and _, not ending in _task or _task_ and"
              + " digits");
    }
    // A comma would split the list of stages that a hold asks for.
    if (!NamesField.isName(stage)
        || stage.codePointCount(0, stage.length()) > TaskLimits.STAGE
        || stage.indexOf(',') >= 0) {
      throw new InvalidStageException(
          "'" + OneLine.of(stage) + "' cannot be a stage",
          "take 1 to 64 characters, no comma, no control character, and no white space around");
    }
    if (registered.localRetries() > 0 && !registered.canBeRepeated()) {
      throw new InvalidStageException(
          "stage " + stage + " of type " + type + " has localRetries, but its runs need a new hold",
          "remove localRetries: flowsvr retries a task of a batch in another batch, and a split"
              + " from its first child");
    }
    Map<String, RegisteredStage> stages = types.computeIfAbsent(type, t -> new LinkedHashMap<>());
    if (stages.size() == MOST_STAGES && !stages.containsKey(stage)) {
      throw new InvalidStageException(
          "type " + type + " has more than " + MOST_STAGES + " stages",
          "give some a type of their own");
    }
    RegisteredStage previous = stages.putIfAbsent(stage, registered);
    if (previous != null) {
      throw new InvalidStageException(
          "stage "
              + stage
              + " of type "
              + type
              + " has two handlers: "
              + previous.anyHandler()
              + " and "
              + registered.anyHandler(),
          "remove one of them, or give it a stage of its own");
    }
  }

  /** Whether there are no handlers. */
  public boolean isEmpty() {
    return types.isEmpty();
  }

  /** The stages by type and name, in the order of registration. */
  Map<String, Map<String, RegisteredStage>> types() {
    return Collections.unmodifiableMap(types);
  }

  /**
   * The same without stages that require a label which this worker lacks, and without types that
   * have no stages left.
   *
   * @throws InvalidSettingException if no stage is left, or a stage needs more places than any
   *     device has
   */
  public Map<String, Map<String, RegisteredStage>> typesFor(WorkerSettings settings) {
    Map<String, Map<String, RegisteredStage>> runnable = new LinkedHashMap<>();
    types.forEach(
        (type, stages) ->
            stages.forEach(
                (name, stage) -> {
                  List<String> missing = stage.needs().missing(settings.labels());
                  if (missing.isEmpty()) {
                    requirePlaces(type, stage, settings.slots());
                    runnable.computeIfAbsent(type, t -> new LinkedHashMap<>()).put(name, stage);
                  } else {
                    log.info("does not ask for {}/{}, which needs labels {}", type, name, missing);
                  }
                }));
    if (runnable.isEmpty()) {
      throw new InvalidSettingException(
          "labels", "such that a stage can run here; each needs one that this worker lacks");
    }
    return runnable;
  }

  /** The stages that {@link #typesFor} leaves out, as {@code type/stage}, with what is missing. */
  public Map<String, List<String>> withheldBy(WorkerSettings settings) {
    Map<String, List<String>> withheld = new LinkedHashMap<>();
    types.forEach(
        (type, stages) ->
            stages.forEach(
                (name, stage) -> {
                  List<String> missing = stage.needs().missing(settings.labels());
                  if (!missing.isEmpty()) {
                    withheld.put(type + "/" + name, missing);
                  }
                }));
    return withheld;
  }

  private static void requirePlaces(
      String type, RegisteredStage stage, Map<String, Integer> devices) {
    int maxPlaces = devices.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    if (stage.places() > maxPlaces) {
      throw new InvalidSettingException(
          "slots",
          "at least "
              + stage.places()
              + " on one device for stage "
              + stage.stage()
              + " of type "
              + type);
    }
  }
}
