/**
 * Where tasks are due, and what is known of it, so that claims skip sources in which nothing is
 * due.
 *
 * <ul>
 *   <li>{@code DueMap} remembers what was seen of the sources of one type. {@code WaitingSources}
 *       is its part for looks that name no stage.
 *   <li>{@code DueReader} is what a claim uses: it reads the sources that are not known to be
 *       quiet.
 *   <li>{@code DueScan} is a loop of the server: it finds tasks of which no news told.
 *   <li>{@code DueStore} has the statements of all of them.
 * </ul>
 */
package io.asyncflow.flowsvr.queue.due;
