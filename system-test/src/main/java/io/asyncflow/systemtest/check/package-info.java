/**
 * Holds histories to the invariants: a check for each side of the evidence, and the verdict.
 *
 * <p>A history is what the processes themselves wrote down: for each call a line before it is sent
 * and a line with its answer. Between the two the server acted, at a moment that nobody knows:
 *
 * <pre>
 *   worker 1   |--- hold ---|         |------- report, epoch 1 -------|
 *   worker 2                     |--- hold, epoch 2 ---|
 *                                                       ^
 *              the second hold was answered before the report ended, not before it was sent:
 *              whether the report came before it or after it, nobody can say, and both are right
 * </pre>
 *
 * <p>So one act is taken to come before another only if it was answered before the other was sent.
 * A call whose answer never came may have taken effect at any time after it was sent, or never; the
 * checker follows both possibilities until something that was seen rules one out. It therefore
 * finds no violation that is none, at the price of missing some that happened in the dark. What
 * happens in the dark leaves rows, and the {@linkplain io.asyncflow.systemtest.history.Audit rows}
 * are judged too.
 *
 * <p>Schedules are judged by their rows alone ({@link
 * io.asyncflow.systemtest.check.ScheduleChecker}): each fire leaves one, written by one clock.
 *
 * <p>For each invariant there is a history, or there are rows, in the tests that break it and
 * nothing else.
 */
package io.asyncflow.systemtest.check;
