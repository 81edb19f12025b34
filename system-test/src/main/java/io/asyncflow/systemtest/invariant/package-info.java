/**
 * What must be true of every history, numbered as in the list of faults to survive: the invariants,
 * the rules of a type that they depend on, and how a violation is put into words.
 */
package io.asyncflow.systemtest.invariant;
