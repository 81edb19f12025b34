/**
 * The contract, held against the server by two drivers.
 *
 * <pre>
 *   seed ─ CommandGenerator ─ commands ─┬─ ModelDriver   (wire.md as a small program)
 *                                       └─ ServerDriver  (HTTP, a real database)
 *                                               │
 *            Comparison: the same answers, the same tasks, the same lists?
 *                                               │ no
 *            Shrinker: the shortest sequence that still shows it
 * </pre>
 *
 * <p><b>Time</b> stands still on the database's clock ({@link
 * io.asyncflow.flowsvr.model.StoppedClock}) until a command makes it pass, and sweeps run only when
 * a command says so. Everything is therefore foretold to the millisecond: due times, ties, what is
 * left of a lease, the cost in a log.
 *
 * <p><b>Names</b> are labels: what the server calls a task is known to {@link
 * io.asyncflow.flowsvr.model.ServerNames} alone. A command does not depend on what commands before
 * it were answered, so any of them can be left out.
 *
 * <p><b>Rules</b> are written a second time, in the model, so that a wrong one shows. Of {@code
 * flow-rules} the model takes the words alone with which an operator's act is refused.
 *
 * <p><b>A difference</b> is a bug of the server, a bug of the model, or a sentence of the contract
 * that can be read in two ways. To see one again: {@code ./mvnw -pl flowsvr verify
 * -Dit.test=ModelIT -Dasyncflow.model.seeds=17}; to look for more, {@code
 * -Dasyncflow.model.seeds=1000-1200}.
 */
package io.asyncflow.flowsvr.model;
