/**
 * Which node leads.
 *
 * <p>Leadership here is a matter of economy, not of safety: jobs like the invariant auditor need to
 * run once and not on every node, but each of their writes is guarded by the rows it touches and
 * does no harm when two nodes believe to lead. So the election may be simple, and is: one row in
 * MySQL.
 *
 * <pre>
 *   t_leader:  leader = node B   term = 7   lease_end = 10 s from the last renewal
 *
 *   B renews     |-----3 s-----|-----3 s-----|           two renewals may be missed
 *   B trusts     |--------------- 8 s ------------|      from when it asked, on its own
 *   lease lasts  |------------------- 10 s ------------| monotonic clock
 *   C takes over                                       ^ term 8, at most a round later
 * </pre>
 *
 * <p><b>Terms.</b> A take-over sets term + 1 and names the term that it saw, so of two nodes that
 * see a vacant lease one wins. A renewal names its exact term and changes neither of the values it
 * is guarded by, so "1 row" means what it says. A new leader starts with a number nobody had.
 *
 * <p><b>Clocks.</b> Whether a lease is over is decided by the database's clock alone. A leader also
 * counts for itself how long ago it asked, on its monotonic clock, and stops trusting its term two
 * seconds before the lease can end. A node that was paused wakes up past that margin, finds its
 * term distrusted, fails to renew it, and steps down.
 *
 * <p><b>FailureCollector.</b> A killed leader's lease ends after at most 10 s, and another node
 * takes over within its next round of 3 s. A leader that stops in good order resigns, which takes a
 * round. While the database is away nobody leads, and nothing could be governed.
 */
package io.asyncflow.flowsvr.leader;
