/**
 * {@code ./asyncflow chaos}: a cluster under load, a {@link io.asyncflow.systemtest.chaos.Nemesis}
 * that breaks one part of it after the other, and the table of what that did to the invariants.
 *
 * <p>The seed decides what is broken, when, for how long, and how the tasks behave. The operating
 * system decides the rest: a run cannot be repeated exactly, but its kind can.
 */
package io.asyncflow.systemtest.chaos;
