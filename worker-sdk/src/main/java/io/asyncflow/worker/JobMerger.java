package io.asyncflow.worker;

/**
 * Makes the result of a job from those of its children, all of which have succeeded.
 *
 * <p>It is the handler of the stage {@value #STAGE} of the job's type, and all that is said of a
 * {@link StageHandler} goes for it.
 */
@FunctionalInterface
public interface JobMerger {

  /** The stage that a merger handles. */
  String STAGE = "merge";

  /**
   * Merges the results.
   *
   * @param job the job and its children; valid for this run only
   * @return {@link StageResult#done(Object)} with the job's result; may be put off or fail as any
   *     stage may
   * @throws NonRetryableException if trying again cannot help: the job fails
   * @throws Exception anything else: the merge is tried again
   */
  StageResult merge(MergeContext job) throws Exception;
}
