package io.asyncflow.worker;

/**
 * Combines the results of a job's children, all of which have succeeded, into the job's result.
 *
 * <p>It is the handler of the stage {@value #STAGE} of the job's type, and everything said about a
 * {@link StageHandler} applies to it.
 */
@FunctionalInterface
public interface JobMerger {

  /** The stage that a merger handles. */
  String STAGE = "merge";

  /**
   * Merges the results.
   *
   * @param job the job and its children; valid for this run only
   * @return {@link StageResult#done(Object)} with the job's result; may also snooze, retry or fail
   *     as any stage
   * @throws NonRetryableException if a retry cannot help: the job fails
   * @throws Exception any other failure: the merge is retried
   */
  StageResult merge(MergeContext job) throws Exception;
}
