/**
 * A claim takes due tasks for holds: it plans by the sources known to be due, locks rows, deals
 * them to the holds, and marks them as held, within the limits of the type.
 *
 * <p>A worker that lost an answer repeats its call with the same {@code holdId} and gets the tasks
 * of the first answer, with the same epochs, as long as one of their leases lives. Four mechanisms
 * do this, two in memory in {@code hold} and two in the table {@code t_hold}, which has the tasks
 * of each hold with a holdId:
 *
 * <ul>
 *   <li>Deliveries of a hold that are in the same round of a line share one claim and its answer
 *       ({@code Redelivery.byCall}).
 *   <li>A delivery replaces a parked earlier one, and gets the tasks that a claim is taking for it
 *       ({@code UnansweredHolds.add}).
 *   <li>A look counts the earlier deliveries in {@code t_hold} ({@code DueStore.REPEATS}). If there
 *       is one, {@code TaskClaimer} gives the hold the tasks that it still holds ({@code
 *       redeliver}, {@code heldByEarlierDelivery}, {@code HoldStore.find}, {@code
 *       ClaimStore.held}).
 *   <li>If two servers claim for deliveries of a hold at the same time, or a claim for a later
 *       delivery makes no look, the primary key of {@code t_hold} fails the later claim. {@code
 *       TaskClaimer} catches the {@code DuplicateKeyException} and returns the stored tasks.
 * </ul>
 *
 * <p>Correctness does not depend on locks in a client or in Redis. They only keep workers from
 * claiming at the same time.
 */
package io.asyncflow.flowsvr.claim;
