/**
 * Leader election.
 *
 * <p>Leadership saves work and is not needed for safety: duties such as the invariant auditor need
 * to run on one node only, but each of their writes is guarded by the rows that it changes and is
 * safe even if two nodes believe that they lead. So a simple election suffices: one row in MySQL.
 *
 * <pre>
 *   t_leader:  leader = node B   term = 7   lease_end = 10 s from the last renewal
 *
 *   B renews     |-----3 s-----|-----3 s-----|           two renewals may be missed
 *   B trusts     |--------------- 8 s ------------|      from its request, on its own
 *   lease lasts  |------------------- 10 s ------------| monotonic clock
 *   C takes over                                       ^ term 8, at most a round later
 * </pre>
 *
 * <p>Another role, {@code table-changes}, is had for as long as a server alters the task tables at
 * its start ({@link io.asyncflow.flowsvr.base.leader.LeaderElection#alone}).
 *
 * <p><b>Terms.</b> A take-over sets term + 1 and names the term that it saw, so only one of two
 * nodes that see a vacant lease wins. A renewal names its exact term and changes none of the values
 * that guard it, so an update count of 1 proves the renewal. A new leader starts with an unused
 * number.
 *
 * <p><b>Clocks.</b> Whether a lease is over is decided by the database's clock alone. A leader also
 * measures the time since its request on its monotonic clock, and stops trusting its term two
 * seconds before the lease can end. A node that resumes from a pause after that point does not
 * trust its term, fails to renew it, and steps down.
 *
 * <p><b>Failures.</b> A killed leader's lease ends after at most 10 s, and another node takes over
 * within its next round of 3 s. A leader that shuts down resigns, and another node takes over
 * within a round. While the database is down there is no leader, and governance could do nothing
 * anyway.
 */
package io.asyncflow.flowsvr.base.leader;
