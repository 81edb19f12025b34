package io.asyncflow.flowsvr.tasktable;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** {@code t_schedule_pos}; each write names what it expects to find, so that of two one wins. */
public interface SchedulePositions extends JpaRepository<SchedulePosition, String> {

  /** One statement, without the five that begin and end a transaction. */
  @Override
  @Transactional(propagation = Propagation.SUPPORTS)
  List<SchedulePosition> findAll();

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
          SET schedule_end_pos = schedule_end_pos + 1,
              schedule_end_rows = 0
          WHERE task_type = :type
            AND schedule_end_pos = :end
          """,
      nativeQuery = true)
  int advanceEnd(String type, int end);

  /**
   * Gives out {@code rows} more of the end table; 0 if {@code threshold} rows of it have been given
   * out, or it is not the end any more.
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
  int giveOut(String type, int end, long rows, long threshold);

  /** Moves begin from {@code begin} to the next table; 0 if it does not stand there, or at end. */
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

  /** Moves begin back to {@code begin}; 0 if it does not stand behind it, or that is given up. */
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
