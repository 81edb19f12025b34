package io.asyncflow.worker.internal.spool;

import io.asyncflow.api.Report;
import java.util.List;

/** No spool: reports are in memory only. */
public final class NoSpool implements Spool {

  private final ObjectSpool objects = new ObjectSpool(null);

  @Override
  public boolean keep(Report report) {
    return false;
  }

  @Override
  public void forget(Report report) {}

  @Override
  public void setAside(Report report) {}

  @Override
  public List<Report> adopt() {
    return List.of();
  }

  @Override
  public boolean full() {
    return false;
  }

  @Override
  public int size() {
    return 0;
  }

  @Override
  public ObjectSpool objects() {
    return objects;
  }

  @Override
  public void close() {}

  @Override
  public String toString() {
    return "no spool";
  }
}
