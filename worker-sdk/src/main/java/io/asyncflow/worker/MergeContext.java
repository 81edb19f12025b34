package io.asyncflow.worker;

import java.util.stream.Stream;

/** What a {@link JobMerger} sees. */
public interface MergeContext extends StageContext {

  /**
   * The results of the children in their order, read page by page as the stream is; it need not be
   * closed, and may be asked for again.
   */
  Stream<ChildResult> children();
}
