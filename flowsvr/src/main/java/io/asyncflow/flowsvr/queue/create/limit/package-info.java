/**
 * How many tasks a user may create a minute, where the type says so: {@code t_user_limit}.
 *
 * <p>A create charges what is really new: a repeat with the same idempotency key is free. A call is
 * charged as a whole in its transaction, so a call that is refused, or rolled back, has created and
 * charged nothing. The rows of a call's users are locked in the order of their names. A row that
 * has been idle for a minute says as much as none, and is deleted after an hour.
 *
 * <p>Of single creates that share a transaction, those are left out that their users have no
 * permits for, by a read without locks; each of these is executed alone. So a user over the limit
 * does not make the others' creates fail, and be repeated one by one.
 *
 * <p>A type without a limit costs no statement.
 */
package io.asyncflow.flowsvr.queue.create.limit;
