/**
 * Jobs: one input, split into tasks that run side by side, merged in order.
 *
 * <pre>
 *   SPLITTING --split reported--> RUNNING --last child done--> MERGING --merge reported--> SUCCESS
 *       |                            |                            |
 *       | split failed               | some child failed          | merge failed
 *       v                            v                            v
 *     FAILED            FINISH: FAILED when all have ended      FAILED
 *                       FAIL_FAST: STOPPING --> FAILED
 *
 *   Without a split a job begins as RUNNING, without a merge it ends from there as SUCCESS.
 *
 *   any of these --cancel--> STOPPING --nothing is left--> CANCELLED
 *   FAILED, CANCELLED --retry--> SPLITTING, or RETRYING --> RUNNING, or MERGING
 * </pre>
 *
 * <p><b>Teams.</b> The children of a team are copies for distinct workers. Its counts alone do not
 * end it when a copy fails: {@code TeamSteps} moves the copy to another worker, or ends the team if
 * its policy says so, by compare-and-set on the job's version.
 *
 * <p><b>The row decides.</b> The rules are pure functions, {@code JobRules} of flow-rules. {@code
 * JobChanger} applies them to locked rows: those of the ends of tasks as a ledger, others for
 * {@code JobSteps}, which executes a page of the work that the state requires, and for {@code
 * JobActs}, which does what callers ask for. None relies on earlier reads.
 *
 * <p><b>Crashes.</b> Final tasks and their counts commit together, and so do a page of new tasks
 * and the job's row. So after a crash the job's row says which step comes next, and the next server
 * that reads it executes that step.
 *
 * <p><b>Locks</b> are taken in one order: the table, the rows of tasks by their numbers, the
 * children's rows, the job's row. The job's row is contended most, so it is locked last and for the
 * shortest time.
 */
package io.asyncflow.flowsvr.compose.job;
