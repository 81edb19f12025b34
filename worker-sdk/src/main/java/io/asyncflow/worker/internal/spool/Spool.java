package io.asyncflow.worker.internal.spool;

import io.asyncflow.api.Report;
import java.util.List;

/**
 * Keeps reports that could not be delivered where the next start of a worker finds them. A report
 * that is delivered at once never comes here.
 *
 * <p>Thread-safe, and never throws: a worker without a disk is still a worker.
 */
public interface Spool extends AutoCloseable {

  /**
   * Keeps a report; one that is kept already stays as it is.
   *
   * @return {@code false} if there is no room for it; it is then kept in memory alone
   */
  boolean keep(Report report);

  /** The report is settled. */
  void forget(Report report);

  /** The report cannot be settled; if it was kept it stays, where people find it. */
  void setAside(Report report);

  /**
   * Takes over what processes that have ended left behind.
   *
   * @return the reports that were not this worker's before; never {@code null}
   */
  List<Report> adopt();

  /** Whether there is no room left. */
  boolean full();

  /** How many reports are kept. */
  int size();

  /** The objects that wait beside the reports. */
  ObjectSpool objects();

  /** Leaves what is kept to the next one who adopts it. */
  @Override
  void close();
}
