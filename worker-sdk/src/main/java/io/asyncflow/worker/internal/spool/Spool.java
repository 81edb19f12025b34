package io.asyncflow.worker.internal.spool;

import io.asyncflow.api.Report;
import java.util.List;

/**
 * Keeps undelivered reports for the next start of a worker. A report that is delivered at once is
 * never spooled.
 *
 * <p>Thread-safe. Never throws: a worker works without a disk, too.
 */
public interface Spool extends AutoCloseable {

  /**
   * Keeps a report; a report that is already kept stays unchanged.
   *
   * @return {@code false} if there is no room for it, so that it is only in memory
   */
  boolean keep(Report report);

  /** Forgets that it could not be kept on, if that may have passed: the next report is tried. */
  default void tryAgain() {}

  /** Removes a settled report. */
  void forget(Report report);

  /** Moves a report that cannot be settled to a place where people find it, if it was kept. */
  void setAside(Report report);

  /**
   * Adopts the reports of processes that have ended.
   *
   * @return the newly adopted reports; never {@code null}
   */
  List<Report> adopt();

  /** Whether there is no room for another report. */
  boolean full();

  /** The number of kept reports. */
  int size();

  /** The spool of undelivered objects. */
  ObjectSpool objects();

  /** Releases the kept reports, for another process to adopt. */
  @Override
  void close();
}
