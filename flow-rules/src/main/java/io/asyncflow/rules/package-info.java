/**
 * The rules of a task: the values that name it, its row, and the decisions on holds, reports,
 * leases, retries and the acts of operators; and of a job, as far as the ends of tasks decide. Pure
 * functions, shared by the server and the SDK's fake server, so that both decide alike. The package
 * reads no clock, database or configuration.
 */
package io.asyncflow.rules;
