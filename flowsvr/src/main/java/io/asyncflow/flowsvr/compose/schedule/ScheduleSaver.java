package io.asyncflow.flowsvr.compose.schedule;

import static java.util.stream.Collectors.toMap;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.SaveOutcome;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.compose.schedule.core.FireLead;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleDefinitions;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore.NewRow;
import io.asyncflow.flowsvr.compose.schedule.core.SchedulesChanged;
import io.asyncflow.flowsvr.compose.schedule.fire.ScheduleChanges;
import io.asyncflow.flowsvr.compose.schedule.fire.ScheduleChanges.Withdrawn;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.OutOfScopeException;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.act.Change;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.task.row.NamedObjects;
import io.asyncflow.flowsvr.task.type.SealedTexts;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.schedule.FirePosition;
import io.asyncflow.rules.schedule.FireRules;
import io.asyncflow.rules.schedule.NeverFiresException;
import io.asyncflow.rules.schedule.ScheduleRules;
import io.asyncflow.rules.schedule.ScheduleRules.Changed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;

/**
 * Saves schedules by their names: all of a call, or none. A save of an equal definition writes
 * nothing, and a save of an older revision changes nothing, so that all instances of an application
 * may save what they need when they start. Thread-safe.
 */
@Service
class ScheduleSaver {

  private static final int MAX_ATTEMPTS = 10;

  private final ScheduleStore schedules;
  private final ScheduleChanges changes;
  private final TaskCreator creator;
  private final TaskTypes types;
  private final SealedTexts sealedTexts;
  private final NamedObjects objects;
  private final Acts acts;
  private final Events events;
  private final long aheadMs;

  ScheduleSaver(
      ScheduleStore schedules,
      ScheduleChanges changes,
      TaskCreator creator,
      TaskTypes types,
      SealedTexts sealedTexts,
      NamedObjects objects,
      Acts acts,
      Events events,
      FireLead lead) {
    this.schedules = schedules;
    this.changes = changes;
    this.creator = creator;
    this.types = types;
    this.sealedTexts = sealedTexts;
    this.objects = objects;
    this.acts = acts;
    this.events = events;
    this.aheadMs = lead.ms();
  }

  /**
   * Saves schedules.
   *
   * @param definitions complete, of different names
   * @param ifVersion the version that the only schedule must have, 0 for none; {@code null} for any
   * @param path where in the request the definition with this index stands
   * @param caller in whose scope they must be
   * @return what became of each, in their order
   * @throws FlowException with {@link ErrorCode#CHANGED_MEANWHILE} if it has another version, with
   *     {@link ErrorCode#INVALID_INPUT} if one of them never fires, with {@link
   *     ErrorCode#SEALING_RULE} if a type does not take one of their texts
   */
  List<SavedSchedule> save(
      List<NewSchedule> definitions, Long ifVersion, IntFunction<String> path, Caller caller) {
    if (caller.isScoped()) {
      definitions.forEach(definition -> caller.require(ScheduleRow.targetOf(definition)));
    }
    for (int i = 0; i < definitions.size(); i++) {
      requireTypes(definitions.get(i));
      sealedTexts.check(definitions.get(i), path.apply(i));
      requireNamed(definitions.get(i), caller);
    }
    for (int attempt = 1; ; attempt++) {
      try {
        return saveOnce(definitions, ifVersion, caller);
      } catch (NeverFiresException e) {
        throw e.at(path.apply(definitions.indexOf(e.definition())));
      } catch (DuplicateKeyException | SavedMeanwhileException e) {
        // Another call saved or deleted a schedule of one of these names: the next attempt sees it.
        if (attempt == MAX_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private void requireNamed(NewSchedule schedule, Caller caller) {
    if (schedule.jobData() != null) {
      objects.require(schedule.jobData(), caller);
    } else {
      objects.require(Stream.of(schedule.taskData().taskContext()), null, caller);
    }
  }

  private void requireTypes(NewSchedule schedule) {
    types.require(ScheduleRules.targetType(schedule));
    if (schedule.jobData() != null) {
      types.require(TaskType.parse(schedule.jobData().childType()).orElseThrow());
    }
  }

  private List<SavedSchedule> saveOnce(
      List<NewSchedule> definitions, Long ifVersion, Caller caller) {
    Map<String, ScheduleRow> existing =
        schedules.findByNames(definitions.stream().map(NewSchedule::name).toList()).stream()
            .collect(toMap(ScheduleRow::name, Function.identity()));
    for (ScheduleRow row : existing.values()) {
      if (!row.isSeenBy(caller)) { // names are unique, so it cannot be as if there were none
        throw new OutOfScopeException("schedule", row.name());
      }
    }
    Map<String, SavedSchedule> saved = new HashMap<>();
    List<NewSchedule> created = new ArrayList<>();
    Map<Long, NewSchedule> changed = new HashMap<>();
    for (NewSchedule definition : definitions) {
      ScheduleRow row = existing.get(definition.name());
      ScheduleRules.requireVersion(row == null ? 0 : row.version(), definition, ifVersion);
      if (row == null) {
        created.add(definition);
      } else if (Arrays.equals(row.bodyHash(), ScheduleDefinitions.hash(definition))) {
        saved.put(row.name(), answer(row, SaveOutcome.UNCHANGED));
      } else if (definition.revision() < row.definition().revision()) {
        saved.put(row.name(), answer(row, SaveOutcome.KEPT));
      } else {
        changed.put(row.id(), definition);
      }
    }
    if (!created.isEmpty() || !changed.isEmpty()) {
      changes.change(
          changed.keySet(),
          withdrawn -> {
            requireUnchanged(withdrawn, changed, ifVersion, existing);
            withdrawn.forEach(
                one -> saved.put(one.row().name(), change(one, changed.get(one.row().id()))));
            saved.putAll(create(created));
          });
      events.publish(new SchedulesChanged());
    }
    return definitions.stream().map(definition -> saved.get(definition.name())).toList();
  }

  /**
   * Refuses if a schedule was deleted or saved since it was read.
   *
   * @throws SavedMeanwhileException if the save may be tried again
   */
  private static void requireUnchanged(
      List<Withdrawn> withdrawn,
      Map<Long, NewSchedule> changed,
      Long ifVersion,
      Map<String, ScheduleRow> read) {
    if (withdrawn.size() < changed.size()) {
      throw new SavedMeanwhileException("a schedule was deleted just now");
    }
    for (Withdrawn one : withdrawn) {
      NewSchedule definition = changed.get(one.row().id());
      ScheduleRules.requireVersion(one.row().version(), definition, ifVersion);
      if (!Arrays.equals(one.row().bodyHash(), read.get(one.row().name()).bodyHash())) {
        throw new SavedMeanwhileException("schedule " + one.row().name() + " was saved just now");
      }
    }
  }

  private static SavedSchedule answer(ScheduleRow row, SaveOutcome outcome) {
    return new SavedSchedule(row.scheduleId(), outcome, row.position().nextFireTime());
  }

  private Map<String, SavedSchedule> create(List<NewSchedule> definitions) {
    if (definitions.isEmpty()) {
      return Map.of();
    }
    long now = schedules.now();
    List<NewRow> rows = new ArrayList<>();
    Map<String, SavedSchedule> saved = new HashMap<>();
    for (NewSchedule definition : definitions) {
      long id = creator.nextNumber();
      long next = ScheduleRules.firstFire(definition, now, now);
      FireRules rules = ScheduleRules.of(id, definition);
      rows.add(new NewRow(id, definition, FirePosition.first(rules, next, aheadMs)));
      saved.put(definition.name(), new SavedSchedule(Long.toString(id), SaveOutcome.CREATED, next));
    }
    schedules.insert(rows);
    acts.recordAll(
        rows.stream()
            .map(
                row ->
                    Act.of("CREATE", "schedule:" + row.id())
                        .with(Map.of("after", row.definition())))
            .toList());
    return saved;
  }

  private SavedSchedule change(Withdrawn withdrawn, NewSchedule definition) {
    ScheduleRow row = withdrawn.row();
    Changed changed =
        new Changed(
            row.definition(), row.position(), withdrawn.firstWithdrawn(), withdrawn.lastKept());
    Long next = ScheduleRules.nextFire(changed, definition, row.now());
    FireRules rules = ScheduleRules.of(row.id(), definition);
    FirePosition to = withdrawn.position().redefined(rules, next, aheadMs);
    schedules.replace(row, definition, to);
    acts.record(
        Act.of("CHANGE", "schedule:" + row.id())
            .with(Change.between(row.definition(), definition)));
    boolean isEnded = to.state() == ScheduleState.ENDED;
    return new SavedSchedule(
        row.scheduleId(), isEnded ? SaveOutcome.ENDED : SaveOutcome.CHANGED, to.nextFireTime());
  }

  /** Another call has changed a schedule; nothing of this transaction is committed. */
  private static final class SavedMeanwhileException extends FlowException {

    private static final long serialVersionUID = 1L;

    SavedMeanwhileException(String message) {
      super(ErrorCode.CHANGED_MEANWHILE, message);
    }
  }
}
