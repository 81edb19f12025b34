package io.asyncflow.worker;

import java.util.stream.Stream;

/** The context of a {@link JobMerger}'s run. */
public interface MergeContext extends StageContext {

  /**
   * The results of the children in their order, fetched page by page as the stream is read. The
   * stream need not be closed; each call returns a new one.
   */
  Stream<ChildResult> children();
}
