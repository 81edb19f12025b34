/**
 * Numbers of tasks. A server borrows a number of its own for as long as it lives, and so no two
 * servers give the same number to a task; that it keeps it is its sign of life.
 */
package io.asyncflow.flowsvr.number;
