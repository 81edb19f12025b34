/**
 * Creates in the transaction of the application: a {@link
 * io.asyncflow.spring.outbox.TransactionalFlowClient} keeps tasks in a table of the application's
 * database, and an {@link io.asyncflow.spring.outbox.OutboxRelay} sends them after the commit. Any
 * number of instances share the table. A task is created once, however often it is sent, because it
 * has an idempotency key.
 */
package io.asyncflow.spring.outbox;
