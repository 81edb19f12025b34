package io.asyncflow.worker.internal;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Report;
import java.util.List;

/**
 * Says with each hold and heartbeat which start of the worker asks: one that was drained is not
 * taken for the one that is started after it under the same worker id.
 */
public final class StartTellingClient extends ForwardingFlowClient {

  private final String startId;

  /**
   * @param startId no other start of the worker has had it
   */
  public StartTellingClient(FlowClient client, String startId) {
    super(client);
    this.startId = startId;
  }

  @Override
  public HoldAnswer hold(HoldRequest request) {
    return super.hold(told(request));
  }

  @Override
  public HoldAnswer hold(HoldRequest request, List<Report> reports) {
    return super.hold(told(request), reports);
  }

  @Override
  public HeartbeatAnswer heartbeat(Heartbeat beat) {
    return super.heartbeat(new Heartbeat(beat.workerId(), beat.tasks(), beat.worker(), startId));
  }

  private HoldRequest told(HoldRequest request) {
    return new HoldRequest(
        request.taskType(),
        request.limit(),
        request.workerId(),
        request.waitMs(),
        request.holdId(),
        request.stages(),
        request.prefer(),
        request.othersAfterMs(),
        startId);
  }
}
