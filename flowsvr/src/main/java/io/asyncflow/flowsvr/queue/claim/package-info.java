/**
 * A claim takes due tasks for holds: it plans by the sources known to be due, locks rows, deals
 * them to the holds, and marks them as held, within the limits of the type.
 *
 * <p>A worker that lost an answer repeats its call with the same {@code holdId} and gets the tasks
 * of the first answer, with the same epochs, as long as one of their leases lives. The primary key
 * of {@code t_hold}, which has the tasks of each hold with a holdId, decides: if two claims take
 * tasks for one hold, on any servers, the later one fails and is rolled back. {@code TaskClaimer}
 * then claims again, with a look. A look counts the earlier deliveries in {@code t_hold} ({@code
 * DueStore.REPEATS}); if there is one, the hold is given the tasks that it still holds ({@code
 * HoldStore.find}, {@code ClaimStore.held}). Of deliveries that wait on one server, {@code
 * HoldQueue} in {@code hold} keeps one.
 *
 * <p>Correctness does not depend on locks in a client or in Redis. They only keep workers from
 * claiming at the same time.
 */
package io.asyncflow.flowsvr.queue.claim;
