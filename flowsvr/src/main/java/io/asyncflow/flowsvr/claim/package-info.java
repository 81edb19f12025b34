/**
 * A claim takes due tasks for holds: it plans by the sources known to be due, locks rows, deals
 * them to the holds, and marks them as held, within the limits of the type. The tasks of a hold
 * with a holdId are stored, so that a repeat gets the same answer.
 *
 * <p>Correctness does not depend on locks in a client or in Redis. They only keep workers from
 * claiming at the same time.
 */
package io.asyncflow.flowsvr.claim;
