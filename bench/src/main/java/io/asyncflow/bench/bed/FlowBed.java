package io.asyncflow.bench.bed;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.TaskTypeSettings;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;

/** A flowsvr and the schema that it works on. */
public interface FlowBed {

  /** A client of the server. */
  FlowClient flow();

  URI url();

  /** Opens a connection to the schema; the caller closes it. */
  Connection connect() throws SQLException;

  /** How many tasks of a type are in a state, by its code. */
  default int count(Connection connection, String type, int status) throws SQLException {
    return TaskCount.of(connection, TestBed.firstTableOf(type), status);
  }

  /** Makes a task type, and its table: that is made on first use, and an empty hold is a use. */
  default void addType(TaskTypeSettings settings) {
    flow().saveTaskType(settings);
    flow().holdTasks(new HoldRequest(settings.taskType(), 1, "bench", null, null, null));
  }
}
