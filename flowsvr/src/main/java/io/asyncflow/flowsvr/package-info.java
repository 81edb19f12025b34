/**
 * The server. Each package below a wing is one feature. A wing uses only the wings below it, and a
 * feature only the features that stand in lines below its own, which ArchitectureTest holds:
 *
 * <pre>
 *   front     console  compat            pages; old clients' dialect
 *
 *   operate   governance                 runs the duties of all
 *             why  bulk                  why tasks wait; acts on many
 *             operator  search  stats    acts on one, finding, numbers
 *
 *   compose   schedule  hook             recurring work; events sent to URLs
 *             job  store                 split and merge; objects
 *
 *   queue     worker                     list of workers
 *             hold                       parked requests for tasks
 *             claim  report  lease  query
 *                                        what happens to tasks
 *             create                     how tasks are made
 *             due                        where tasks are due
 *
 *   task      row                        the rows of tasks
 *             number                     numbers of servers, tasks
 *             lane                       sets of named workers
 *             index                      what the index of tasks tells
 *             table                      the tables of types
 *             event                      the stream of events
 *             type                       the settings of types
 *             pause                      what is paused now
 *
 *   edge      key  session  audit        calls about keys, sessions, acts
 *             access                     callers and their rights
 *             act                        the record of acts
 *             web                        requests and answers
 *
 *   base      leader  pulse              election; counts of what happened
 *             duty                       periodic duties
 *             system                     database, Redis, threads, clock
 * </pre>
 *
 * <p>The rules of a task, which the fake server of flow-fake shares, are in {@code
 * io.asyncflow.rules}. This package itself starts the server and says why it cannot start.
 */
package io.asyncflow.flowsvr;
