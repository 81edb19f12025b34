/**
 * The server. Each package is one feature; a feature uses only what stands below it, which
 * ArchitectureTest holds:
 *
 * <pre>
 *   governance                             runs the duties of all
 *   operator  worker  leader  job  store   operators' acts, workers, election, jobs, stored objects
 *   hold                                   parked requests for tasks
 *   claim  report  lease  create  query    what happens to tasks
 *   due                                    where tasks are due
 *   task                                   the rows of tasks
 *   number                                 numbers of servers and tasks
 *   tasktable                              the tables of a type
 *   tasktype                               the settings of a type
 *   access                                 callers, and what they may do
 *   web  system  duty                      used by all
 * </pre>
 *
 * <p>The rules of a task, which the fake server of flow-fake shares, are in {@code
 * io.asyncflow.rules}. This package itself starts the server and says why it cannot start.
 */
package io.asyncflow.flowsvr;
