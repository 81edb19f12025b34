package io.asyncflow.worker.internal.execute;

import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.tracing.RunSpan;
import io.asyncflow.worker.tracing.RunTracing;

/** A tracer whose library is of another version than the one that it was built with. */
final class TracerWithoutItsClasses implements RunTracing {

  @Override
  public RunSpan open(StageContext run) {
    throw new NoClassDefFoundError("io/telemetry/Tracer");
  }

  @Override
  public String traceParent() {
    throw new NoClassDefFoundError("io/telemetry/Tracer");
  }
}
