package io.asyncflow.flowsvr.tasktype;

import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** {@code t_schedule_cfg}; the column's collation matches types without regard to case. */
interface TaskTypeRows extends JpaRepository<TaskTypeConfig, String> {

  /** One statement, without the five that begin and end a transaction. */
  @Override
  @Transactional(propagation = Propagation.SUPPORTS)
  List<TaskTypeConfig> findAll();

  /**
   * The row, locked. No {@code findById}, because the key in the row may be spelled differently;
   * native, because Hibernate's FOR UPDATE OF is unknown to MariaDB.
   */
  @Query(
      value = "SELECT * FROM t_schedule_cfg WHERE task_type = :taskType FOR UPDATE",
      nativeQuery = true)
  Optional<TaskTypeConfig> findLocked(String taskType);

  /** Makes a row of defaults; does nothing if somebody else has made one. */
  @Modifying
  @Query(
      value = "INSERT IGNORE INTO t_schedule_cfg (task_type) VALUES (:taskType)",
      nativeQuery = true)
  int insertDefaults(String taskType);
}
