package io.asyncflow.dev.command;

import io.asyncflow.api.FlowException;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.environment.ApiKey;
import io.asyncflow.dev.environment.Installation;
import io.asyncflow.dev.stack.ClaimedPort;
import io.asyncflow.dev.stack.LocalStack;
import io.asyncflow.dev.stack.StartDisplay;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** A command that starts everything embedded. SIGINT and SIGTERM stop it in order. */
abstract class StackCommand implements Callable<Integer> {
  final Installation installation;
  private volatile boolean stopping;

  StackCommand(Installation installation) {
    this.installation = installation;
  }

  /**
   * Does what the command is for.
   *
   * @throws DevException in one sentence if that is not possible
   */
  abstract void run();

  @Override
  public final Integer call() {
    try {
      run();
      return 0;
    } catch (UsageException | DevException | FlowException e) {
      if (stopping) {
        // What was just starting complains that it was stopped; nobody wants to know.
        return Asyncflow.FAILED;
      }
      throw e;
    }
  }

  /** A stack that has not started yet, and that a signal stops from now on. */
  final LocalStack stackIn(Path directory, ApiKey key, Supplier<ClaimedPort> port) {
    LocalStack stack =
        new LocalStack(installation, directory, key, port, new StartDisplay(System.out));
    CtrlC.endsInOrderAndThenAtOnce();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(stack), "stop"));
    return stack;
  }

  private void stop(LocalStack stack) {
    stopping = true;
    stack.close();
  }

  /**
   * Starts database, Redis and flowsvr.
   *
   * @param programs what the command is going to start, in words
   */
  final void start(LocalStack stack, String programs) {
    System.out.println("Starting " + programs + " ...");
    if ("root".equals(System.getProperty("user.name"))) {
      System.out.println(
          "Started as root, and so are they: on 127.0.0.1 alone, with random passwords, in"
              + " directories of root's alone, and no SQL reads or writes a file.");
    }
    stack.start();
  }

  /**
   * Lets everything run until a signal ends it.
   *
   * @throws DevException as soon as a program cannot be kept running
   */
  static void untilItFails(LocalStack stack) {
    throw new DevException(stack.failure().join());
  }
}
