/**
 * How calls come in: HTTP with its budgets, guards and errors ({@code web}); who calls, and what it
 * may do ({@code access}, {@code key}, {@code session}); the record of what was done by hand
 * ({@code act}, {@code audit}).
 *
 * <p>A request passes the doors of {@code access.chain}, gets a thread and its share of the server
 * in {@code web}, and is read into {@code Fields}. From there on a controller of one of the wings
 * above has it. Controllers stand in their feature, so this wing knows none of them.
 */
package io.asyncflow.flowsvr.edge;
