/**
 * What a task may do: the values that name it, the row that describes it, and the decisions on
 * holds, reports, leases and retries. Pure functions, shared by the server and by the fake server
 * of the SDK, so that both decide alike. Nothing here reads a clock, a database or a setting.
 */
package io.asyncflow.rules;
