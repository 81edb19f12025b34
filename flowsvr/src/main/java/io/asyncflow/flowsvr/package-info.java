/**
 * The server. Each package is one feature; a feature uses only what stands below it, which
 * ArchitectureTest holds:
 *
 * <pre>
 *   console  compat                            pages, old clients' dialect
 *   governance                                 runs the duties of all
 *   why  bulk                                  why tasks wait; acts on many
 *   schedule  hook  key  session  audit  stats  search
 *                                              recurring work, hooks, keys, views
 *   worker  job                                list of workers; jobs
 *   operator  leader  store                    operators' acts, election, objects
 *   hold                                       parked requests for tasks
 *   claim  report  lease  query                what happens to tasks
 *   create                                     how tasks are made
 *   due                                        where tasks are due
 *   task                                       the rows of tasks
 *   number                                     numbers of servers, tasks
 *   lane                                       sets of named workers
 *   index                                      what the index of tasks tells
 *   tasktable                                  the tables of types
 *   event                                      the stream of events
 *   tasktype                                   the settings of types
 *   pause                                      what is paused now
 *   access                                     callers and their rights
 *   act                                        the record of acts
 *   pulse                                      counts of what happened
 *   web  system  duty                          used by all
 * </pre>
 *
 * <p>The rules of a task, which the fake server of flow-fake shares, are in {@code
 * io.asyncflow.rules}. This package itself starts the server and says why it cannot start.
 */
package io.asyncflow.flowsvr;
