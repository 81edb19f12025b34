package io.asyncflow.worker.internal;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.RecordCopy;
import io.asyncflow.api.Report;
import java.util.List;

/**
 * Adds the start id of the worker to each hold and heartbeat, so that the drain of one start does
 * not apply to a later start with the same worker id; and the version of its program to each hold.
 */
public final class StartTellingClient extends ForwardingFlowClient {

  private final String startId;
  private final Integer version;

  /**
   * @param startId unique for this start of the worker
   * @param version the version of the worker's program; 0 for none
   */
  public StartTellingClient(FlowClient client, String startId, int version) {
    super(client);
    this.startId = startId;
    this.version = version == 0 ? null : version;
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
    return super.heartbeat(RecordCopy.with(beat, "startId", startId));
  }

  private HoldRequest told(HoldRequest request) {
    return RecordCopy.with(RecordCopy.with(request, "startId", startId), "workerVersion", version);
  }
}
