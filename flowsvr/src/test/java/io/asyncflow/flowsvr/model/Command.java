package io.asyncflow.flowsvr.model;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.TaskTypeSettings;
import java.util.List;

/**
 * One step of a sequence. It names tasks, types and users by labels and times by milliseconds since
 * the sequence began, so that it means the same to every {@link Driver} and after other steps have
 * been left out. {@code null} stands for what is not sent.
 */
sealed interface Command {

  Answer sendTo(Driver driver);

  /** Creates or changes a type. */
  record SaveType(TaskTypeSettings settings) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.saveType(this);
    }
  }

  /** Gives the type another table; new tasks go there. */
  record AddTable(String type) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.addTable(this);
    }
  }

  /**
   * @param label what later commands call the task, unless its key makes it an older one
   */
  record Create(String label, NewTask task) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.create(this);
    }
  }

  record CreateBatch(List<Create> tasks) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.createBatch(this);
    }
  }

  /**
   * @param worker {@code null} for an old client
   */
  record Hold(String type, String worker, String holdId, List<String> stages, Integer limit)
      implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.hold(this);
    }
  }

  record Beat(String worker, List<Held> tasks) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.beat(this);
    }
  }

  /**
   * @param epochsBehind how far the named epoch lies behind that of the task's last hold; see
   *     {@link #epoch}
   */
  record Held(String task, int epochsBehind, Integer progress) {}

  /**
   * @param worker empty for a hold that had none
   * @param epochsBehind as in {@link Held}
   * @param delayMs of a snooze, or the wish of a retry
   * @param unexpected of a retry
   * @param begun of a release
   * @param workers of a next stage: empty for all, {@code null} for the same
   * @param creates empty for none
   */
  record Report(
      String task,
      String worker,
      int epochsBehind,
      Outcome outcome,
      String reportId,
      String stage,
      String context,
      Integer priority,
      String result,
      String errMsg,
      Long delayMs,
      Boolean unexpected,
      Boolean begun,
      List<String> workers,
      List<Create> creates)
      implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.report(this);
    }
  }

  record ReportBatch(List<Report> reports) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.reportBatch(this);
    }
  }

  /** A setTask as clients send it that know no epochs. */
  record OldUpdate(
      String task,
      Integer status,
      String stage,
      String context,
      Integer priority,
      Long orderTime,
      Integer crtRetryNum,
      Integer maxRetryNum,
      Integer maxRetryInterval,
      String scheduleLog,
      String user)
      implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.oldUpdate(this);
    }
  }

  record Cancel(String task) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.cancel(this);
    }
  }

  /** Pauses a task; {@code stop} ends its hold. */
  record Pause(String task, boolean stop) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.pause(this);
    }
  }

  record Resume(String task) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.resume(this);
    }
  }

  /** An operator's retry of a failed or cancelled task. */
  record Retry(String task) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.retry(this);
    }
  }

  /**
   * @param workers empty for all
   */
  record SetWorkers(String task, List<String> workers) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.setWorkers(this);
    }
  }

  /** Ends the hold of an executing task. */
  record Restart(String task) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.restart(this);
    }
  }

  /** An operator's last word. */
  record ForceStatus(String task, int status) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.forceStatus(this);
    }
  }

  /** Lets time pass on the database's clock. Nothing else makes it pass. */
  record PassTime(long ms) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.passTime(this);
    }
  }

  /** Ends the holds whose lease has run out by now. */
  record Sweep() implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.sweep(this);
    }
  }

  record GetTask(String task) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.getTask(this);
    }
  }

  /**
   * @param statuses OR of status bits; {@code null} for all
   * @param pageSize the pages are followed to the last one
   */
  record ListTasks(String type, Integer statuses, int pageSize) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.listTasks(this);
    }
  }

  /** The same over every type. */
  record ListUserTasks(String user, Integer statuses, int pageSize) implements Command {
    @Override
    public Answer sendTo(Driver driver) {
      return driver.listUserTasks(this);
    }
  }

  /** The command as a line to be read. */
  static String show(Command command) {
    return command.toString().replaceAll("\\w+=null(, )?", "").replace(", ]", "]");
  }

  /** The epoch that lies so far behind the last one; an epoch that no hold has is 1. */
  static int epoch(int last, int epochsBehind) {
    return Math.max(1, last - epochsBehind);
  }
}
