package io.asyncflow.dev.command;

import java.util.concurrent.atomic.AtomicBoolean;
import sun.misc.Signal;

/**
 * Ctrl-C: the first ends this JVM in order, and the next at once.
 *
 * <p>Left alone, a JVM that runs its shutdown hooks hears no signal but SIGKILL.
 */
final class CtrlC {
  private static final int EXIT_CODE = 130; // of a program that SIGINT has ended

  private CtrlC() {}

  static void endsInOrderAndThenAtOnce() {
    AtomicBoolean pressed = new AtomicBoolean();
    // Each signal gets a thread of its own, so that exit may take its time in the first.
    Signal.handle(
        new Signal("INT"),
        signal -> {
          if (pressed.getAndSet(true)) {
            Runtime.getRuntime().halt(EXIT_CODE);
          }
          System.out.println("Stopping; Ctrl-C again ends it at once ...");
          System.exit(EXIT_CODE);
        });
  }
}
