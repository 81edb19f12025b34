package io.asyncflow.flowsvr.tasktable;

import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.transaction.annotation.Transactional;

/** {@code t_schedule_pos}; each write names what it expects to find, so that of two one wins. */
interface SchedulePositions extends JpaRepository<SchedulePosition, String> {

  /** Makes the first position of a type; 0 if there is one already. */
  @Modifying
  @Transactional
  @Query(
      value =
          """
          INSERT IGNORE INTO t_schedule_pos (task_type, schedule_begin_pos, schedule_end_pos)
          VALUES (:type, 1, 1)
          """,
      nativeQuery = true)
  int insertFirst(String type);

  /** Moves the end from {@code end} to the next table; 0 if somebody moved it before. */
  @Modifying
  @Transactional
  @Query(
      value =
          """
          UPDATE t_schedule_pos
          SET schedule_end_pos = schedule_end_pos + 1
          WHERE task_type = :type
            AND schedule_end_pos = :end
          """,
      nativeQuery = true)
  int advanceEnd(String type, int end);
}
