package io.asyncflow.flowsvr.task.table;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * {@code t_schedule_pos}. Each write is a compare-and-set, so of two concurrent ones a single one
 * succeeds.
 */
public interface SchedulePositions extends JpaRepository<SchedulePosition, String> {

  /** One statement, without those that begin and end a transaction. */
  @Override
  @Transactional(propagation = Propagation.SUPPORTS)
  List<SchedulePosition> findAll();

  /** Inserts the first position of a type; 0 if there is one already. */
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

  /** Moves end from {@code end} to the next table; 0 if it has moved already. */
  @Modifying
  @Transactional
  @Query(
      value =
          """
          UPDATE t_schedule_pos
          SET schedule_end_pos = schedule_end_pos + 1,
              schedule_end_rows = 0
          WHERE task_type = :type
            AND schedule_end_pos = :end
          """,
      nativeQuery = true)
  int advanceEnd(String type, int end);

  /**
   * Allots {@code rows} more rows of the end table; 0 if {@code threshold} rows of it have been
   * allotted, or if it is no longer the end.
   */
  @Modifying
  @Transactional
  @Query(
      value =
          """
          UPDATE t_schedule_pos
          SET schedule_end_rows = schedule_end_rows + :rows
          WHERE task_type = :type
            AND schedule_end_pos = :end
            AND schedule_end_rows < :threshold
          """,
      nativeQuery = true)
  int allotRows(String type, int end, long rows, long threshold);

  /** Records that the type has lanes; 0 if it is recorded already. */
  @Modifying
  @Transactional
  @Query(
      value =
          """
          UPDATE t_schedule_pos
          SET lanes = 1
          WHERE task_type = :type
            AND lanes = 0
          """,
      nativeQuery = true)
  int markLanes(String type);

  /** Moves begin from {@code begin} to the next table; 0 if begin is another table, or is end. */
  @Modifying
  @Transactional
  @Query(
      value =
          """
          UPDATE t_schedule_pos
          SET schedule_begin_pos = schedule_begin_pos + 1
          WHERE task_type = :type
            AND schedule_begin_pos = :begin
            AND schedule_begin_pos < schedule_end_pos
          """,
      nativeQuery = true)
  int advanceBegin(String type, int begin);

  /**
   * Moves begin back to {@code begin}; 0 if begin is not a later table, or if that table was given
   * up.
   */
  @Modifying
  @Transactional
  @Query(
      value =
          """
          UPDATE t_schedule_pos
          SET schedule_begin_pos = :begin
          WHERE task_type = :type
            AND schedule_begin_pos > :begin
            AND schedule_first_pos <= :begin
          """,
      nativeQuery = true)
  int moveBeginBack(String type, int begin);
}
