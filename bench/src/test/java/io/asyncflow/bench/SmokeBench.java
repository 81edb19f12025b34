package io.asyncflow.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.bench.option.BenchOptions;
import io.asyncflow.bench.option.Checkout;
import io.asyncflow.bench.option.Part;
import io.asyncflow.bench.report.Report;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine;

/**
 * The bench once and with next to nothing, so that it cannot rot; what it measures here means
 * nothing.
 *
 * @param directory for its report
 */
record SmokeBench(Path directory) {

  /** Holds the contests of these parts, all of which must be in the report, in their order. */
  Report runOnly(Set<Part> parts) throws Exception {
    Report report = run("--only", parts.stream().map(Part::key).collect(Collectors.joining(",")));
    assertThat(report.standings().stream().map(standings -> standings.contest().part()).distinct())
        .containsExactlyElementsOf(EnumSet.copyOf(parts));
    return report;
  }

  /** A contender that lost a task throws. */
  Report run(String... more) throws Exception {
    Path file = directory.resolve("bench.md");
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--peers", "--smoke", "--report", file.toString()));
    arguments.addAll(List.of("--server-jvm", "-XX:TieredStopAtLevel=1"));
    arguments.addAll(List.of(more));
    ByteArrayOutputStream console = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(console, true, StandardCharsets.UTF_8);

    BenchOptions options = new BenchOptions(Map.of());
    new CommandLine(options).parseArgs(arguments.toArray(String[]::new));

    Report report = new Bench(options, Checkout.current(), out).run();

    assertThat(Files.readString(file)).contains("## Targets");
    assertThat(console.toString(StandardCharsets.UTF_8))
        .contains("CPU unused", Files.readString(file));
    return report;
  }
}
