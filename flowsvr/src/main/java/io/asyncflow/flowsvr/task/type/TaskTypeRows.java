package io.asyncflow.flowsvr.task.type;

import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** {@code t_schedule_cfg}. The collation of its key ignores case. */
interface TaskTypeRows extends JpaRepository<TaskTypeConfig, String> {

  /** One statement, without those that begin and end a transaction. */
  @Override
  @Transactional(propagation = Propagation.SUPPORTS)
  List<TaskTypeConfig> findAll();

  /**
   * Locks and returns the row. Not {@code findById}, because the key in the row may be spelled
   * differently; a native query, because MariaDB does not know Hibernate's FOR UPDATE OF.
   */
  @Query(
      value = "SELECT * FROM t_schedule_cfg WHERE task_type = :taskType FOR UPDATE",
      nativeQuery = true)
  Optional<TaskTypeConfig> findLocked(String taskType);

  /** Spells the type's name like this from now on; its row is to be read again. */
  @Modifying(clearAutomatically = true)
  @Query(
      value = "UPDATE t_schedule_cfg SET task_type = :taskType WHERE task_type = :taskType",
      nativeQuery = true)
  int respell(String taskType);

  /** Inserts a row of defaults, unless the row exists. */
  @Modifying
  @Query(
      value = "INSERT IGNORE INTO t_schedule_cfg (task_type) VALUES (:taskType)",
      nativeQuery = true)
  int insertDefaults(String taskType);
}
