package io.asyncflow.flowsvr.model;

/** Somebody who carries out commands: the model, or the server. */
interface Driver extends AutoCloseable {

  Answer saveType(Command.SaveType command);

  Answer addTable(Command.AddTable command);

  Answer create(Command.Create command);

  Answer createBatch(Command.CreateBatch command);

  Answer hold(Command.Hold command);

  Answer beat(Command.Beat command);

  Answer report(Command.Report command);

  Answer reportBatch(Command.ReportBatch command);

  Answer oldUpdate(Command.OldUpdate command);

  Answer cancel(Command.Cancel command);

  Answer pause(Command.Pause command);

  Answer resume(Command.Resume command);

  Answer retry(Command.Retry command);

  Answer setWorkers(Command.SetWorkers command);

  Answer restart(Command.Restart command);

  Answer forceStatus(Command.ForceStatus command);

  Answer passTime(Command.PassTime command);

  Answer sweep(Command.Sweep command);

  Answer getTask(Command.GetTask command);

  Answer listTasks(Command.ListTasks command);

  Answer listUserTasks(Command.ListUserTasks command);

  /** The sequence is over. */
  @Override
  default void close() {}
}
