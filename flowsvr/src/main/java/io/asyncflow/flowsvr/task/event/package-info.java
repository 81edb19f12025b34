/**
 * The calls about events: a stream of them, and pages. Both read behind the one tail of the server,
 * which reads the log of events as it is written, and loses none.
 *
 * <p>An id is given out before its transaction commits, so a reader may see 8 before 7. {@link
 * io.asyncflow.flowsvr.task.event.SeenIds} keeps each missing id as a gap:
 *
 * <pre>
 *   ids of the day   1 2 3 . 5 6 . 8        . not seen: a gap
 *                        │         └ last
 *                        └ stable: below it nothing is missing
 * </pre>
 *
 * <p>A gap is closed when its id is read, or {@link
 * io.asyncflow.flowsvr.task.event.EventTail#PATIENCE} after it was first seen: the database ends
 * every session that is silent for {@code wait_timeout} (90 s) and rolls back its transaction, and
 * the INSERT of an event is the last statement of its transaction. So nothing below stable can
 * appear any more.
 *
 * <p>A database may give out every third id alone, as a node of Galera does where there are three.
 * The ids that the {@link io.asyncflow.flowsvr.base.system.db.IdStep} skips are no gaps, unless a
 * transaction has begun with another step: then they are read once a second, and stable waits, at
 * most for {@code PATIENCE} each. A round reads the step after the ids, so that a step that has
 * changed meanwhile lets stable pass none.
 *
 * <p>A transaction reads the day before it inserts, and its session may have taken the step before,
 * and it may be silent for 90 s before and after the INSERT. So the table of a day is read for
 * {@link io.asyncflow.flowsvr.task.event.EventTail#AFTER_CHANGE} after its end, and stable stays in
 * it until then; and so long after the last change of the step no id is skipped.
 *
 * <p>Events behind a gap are delivered at once, but the cursor that goes with them is stable. So a
 * listener that comes back with it, at any server, gets all events that it has missed, and some
 * again. Events of one task are delivered in their order: a round reads what is new first and the
 * gaps afterwards, so it finds every event that was committed before one that it has found.
 */
package io.asyncflow.flowsvr.task.event;
