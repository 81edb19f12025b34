package io.asyncflow.bench;

import io.asyncflow.bench.option.BenchOptions;
import io.asyncflow.bench.option.Checkout;
import io.asyncflow.dev.command.Asyncflow;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The main class behind {@code ./asyncflow bench}. */
@Command(
    name = "bench",
    description =
        "Measures throughput and latency beside a baseline, in the same run and on the same database,"
            + " and says which targets are met.")
public final class BenchCommand implements Callable<Integer> {

  @Mixin private final BenchOptions options = new BenchOptions(System.getenv());

  private BenchCommand() {}

  /**
   * Runs the bench.
   *
   * @param arguments {@code bench}, and what {@code bench --help} says
   */
  public static void main(String[] arguments) {
    System.exit(Asyncflow.run(arguments, out -> new Object[] {new BenchCommand()}));
  }

  @Override
  public Integer call() throws Exception {
    new Bench(options, Checkout.current(), System.out).run();
    return 0;
  }
}
