package io.asyncflow.flowsvr.tasktype;

import jakarta.persistence.LockModeType;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;

/** {@code t_schedule_cfg}; the column's collation matches types without regard to case. */
interface TaskTypeRows extends JpaRepository<TaskTypeConfig, String> {

  /** A query and no {@code findById}, because the key in the row may be spelled differently. */
  @Lock(LockModeType.PESSIMISTIC_WRITE)
  Optional<TaskTypeConfig> findByTaskType(String taskType);

  /** Makes a row of defaults; does nothing if somebody else has made one. */
  @Modifying
  @Query(
      value = "INSERT IGNORE INTO t_schedule_cfg (task_type) VALUES (:taskType)",
      nativeQuery = true)
  int insertDefaults(String taskType);
}
