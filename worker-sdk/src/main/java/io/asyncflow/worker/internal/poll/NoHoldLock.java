package io.asyncflow.worker.internal.poll;

import io.asyncflow.worker.HoldLock;

/** No lock, used without a service that has one. */
public final class NoHoldLock implements HoldLock {

  @Override
  public boolean present() {
    return false;
  }

  @Override
  public boolean tryAcquire(String taskType) {
    return false;
  }

  @Override
  public void release(String taskType) {
    // there is nothing to release
  }

  @Override
  public void close() {
    // there is nothing to close
  }
}
