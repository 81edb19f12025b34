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
 *   any of these --cancel--> STOPPING --nothing is left--> CANCELLED
 *   FAILED, CANCELLED --retry--> SPLITTING, or RETRYING --> RUNNING, or MERGING
 * </pre>
 *
 * <p><b>The row decides.</b> A job's state moves in two places, and by UPDATEs that say what they
 * expect: where the end of a task is counted ({@code JobCountStore}), and where a page of what the
 * state asks for is done ({@code JobSteps}). Neither trusts what was read before it.
 *
 * <p><b>Kills.</b> Tasks that end and their counts commit together, and so do a page of tasks and
 * the job that knows of them. So a kill leaves a job whose row says what is to be done next;
 * whoever looks first does it.
 *
 * <p><b>Locks</b> are taken in one order: the table, the rows of tasks by their numbers, the
 * children's rows, the job's row. The last one is the hot one, so it comes last and is held for the
 * shortest time.
 */
package io.asyncflow.flowsvr.job;
