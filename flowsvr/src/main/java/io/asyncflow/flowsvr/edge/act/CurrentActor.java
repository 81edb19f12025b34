package io.asyncflow.flowsvr.edge.act;

/** Knows in whose name a thread works. */
@FunctionalInterface
public interface CurrentActor {

  /** The caller of the request; {@link Actor#SERVER} if the thread works for none. */
  Actor get();
}
