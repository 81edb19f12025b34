package io.asyncflow.systemtest.worker;

import io.asyncflow.systemtest.history.Act;
import io.asyncflow.systemtest.history.Event;
import io.asyncflow.systemtest.history.Phase;
import io.asyncflow.systemtest.history.Recorder;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;

/** Does what the context of its task says, and writes down when it began and ended. */
final class ScriptedStage implements StageHandler {

  private final Recorder recorder;
  private final CrashPoint crashPoint;

  ScriptedStage(Recorder recorder, CrashPoint crashPoint) {
    this.recorder = recorder;
    this.crashPoint = crashPoint;
  }

  @Override
  public StageResult handle(StageContext context) throws Exception {
    crashPoint.reached(CrashPoint.BEFORE_HANDLER);
    long call = recorder.newCall();
    recorder.record(call, line(Phase.INVOKE, context));
    try {
      StageResult result = perform(context);
      crashPoint.reached(CrashPoint.AFTER_HANDLER);
      recorder.record(call, line(Phase.OK, context));
      return result;
    } catch (Exception | Error e) {
      recorder.record(call, line(Phase.FAIL, context).answer(e.toString()));
      throw e;
    }
  }

  private static StageResult perform(StageContext context) throws Exception {
    Script script = context.context(Script.class);
    Script done = script.committed(context.stage(), context.leaseEpoch());
    int next = Script.STAGES.indexOf(context.stage()) + 1;
    StageResult success =
        next < Script.STAGES.size()
            ? StageResult.next(Script.STAGES.get(next), done.json())
            : StageResult.done(done.trail());
    return script.actOf(context.stage(), context.leaseEpoch()).perform(context, success);
  }

  private static Event line(Phase phase, StageContext context) {
    return Event.draft(Act.RUN, phase)
        .task(context.taskId())
        .epoch(context.leaseEpoch())
        .stage(context.stage())
        .slot(context.slot().map(ScriptedStage::asText).orElse(null));
  }

  private static String asText(Slot slot) {
    return slot.device() + "/" + slot.index() + "+" + slot.places();
  }
}
