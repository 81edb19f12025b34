/**
 * A claim takes due tasks for holds: it plans by what is known to be due, locks rows, deals them
 * out to the holds, and marks them as held, within the limits of the type. What a hold with a
 * holdId was given is kept, so that a repeat is told the same.
 *
 * <p>Locks in a client or in Redis decide nothing here. They only keep workers from asking at the
 * same time.
 */
package io.asyncflow.flowsvr.claim;
