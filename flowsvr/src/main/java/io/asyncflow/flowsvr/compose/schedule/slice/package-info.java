/**
 * Slices: which server looks at which schedules.
 *
 * <p>Each schedule belongs to one of 64 slices for ever. A slice has one owner, which makes the
 * fires of its schedules:
 *
 * <pre>
 *   t_schedule_slice:  owner = node B   epoch = 7   lease_end = 10 s from the last renewal
 *
 *   vacant --B takes it--> B's, epoch 7 --B hands it over to C--> C's, epoch 8
 *     ^                       |                                     |
 *     +---- lease over -------+-------------------------------------+
 * </pre>
 *
 * <p><b>Safety does not depend on slices.</b> The fence of a schedule and the primary key of a fire
 * make a fire happen once, even if each server believes that it owns every slice ({@link
 * io.asyncflow.flowsvr.compose.schedule.slice.AllSlices}). Slices only keep servers from racing for
 * the same rows, and distribute the load by weight.
 *
 * <p><b>Epochs</b> rise with every change of the owner. Each write names the epoch that it has
 * read, so of two takers one wins, and a schedule refuses fires of an older epoch than its last.
 *
 * <p><b>Clocks.</b> Whether a lease is over is decided by the database's clock. An owner trusts its
 * leases for 8 s from its request, by its monotonic clock. If the database's clock was set back,
 * the lease of a dead owner ends late; so a server may also take a slice whose row it has watched
 * for a whole lease without a change.
 *
 * <p><b>Balance.</b> Every server computes the same plan ({@link
 * io.asyncflow.flowsvr.compose.schedule.slice.SlicePlan}) from the same rows, and does its own part
 * of it.
 */
@NamedInterface("slice")
package io.asyncflow.flowsvr.compose.schedule.slice;

import org.springframework.modulith.NamedInterface;
