package io.asyncflow.systemtest.build;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingInt;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How large the main code is, in lines of code: neither blank nor of comments alone. Prints a table
 * by module and by package of flowsvr, and lets none grow beyond its limit: a change that needs
 * more lines takes others away, or says in its commit why the limit rises.
 */
class SizeTest {

  private static final Path HOME = Path.of("..");

  /** A little above what is there. */
  private static final int MOST = 98_900;

  private static final int MOST_OF_FLOWSVR = 45_900;

  private record Source(String module, String room, int lines) {}

  @Test
  void mainCodeDoesNotGrow() throws IOException {
    List<Source> sources;
    try (Stream<Path> modules = Files.list(HOME)) {
      sources = modules.sorted().flatMap(SizeTest::sourcesOf).toList();
    }
    Map<String, Integer> modules = printed("module", sources, Source::module);
    printed(
        "of flowsvr",
        sources.stream().filter(source -> source.module().equals("flowsvr")).toList(),
        Source::room);
    assertThat(modules.get("flowsvr")).isBetween(10_000, MOST_OF_FLOWSVR);
    assertThat(modules.values().stream().mapToInt(Integer::intValue).sum()).isLessThan(MOST);
  }

  private static Map<String, Integer> printed(
      String what, List<Source> sources, Function<Source, String> by) {
    Map<String, Integer> lines =
        sources.stream().collect(groupingBy(by, TreeMap::new, summingInt(Source::lines)));
    Map<String, Long> files = sources.stream().collect(groupingBy(by, counting()));
    System.out.printf(Locale.ROOT, "%-16s %8s %6s%n", what, "lines", "files");
    lines.forEach(
        (name, count) ->
            System.out.printf(Locale.ROOT, "%-16s %,8d %6d%n", name, count, files.get(name)));
    return lines;
  }

  private static Stream<Source> sourcesOf(Path module) {
    Path main = module.resolve("src/main/java");
    if (!Files.isDirectory(main)) {
      return Stream.empty();
    }
    Path server = main.resolve("io/asyncflow/flowsvr");
    return LocaleTest.sourcesBelow(main)
        .map(
            file ->
                new Source(
                    module.getFileName().toString(),
                    file.startsWith(server) && file.getNameCount() > server.getNameCount() + 1
                        ? server.relativize(file).getName(0).toString()
                        : ".",
                    linesOfCode(LocaleTest.read(file))));
  }

  static int linesOfCode(String source) {
    int lines = 0;
    boolean inComment = false;
    boolean inText = false;
    for (String line : source.split("\n")) {
      String code = line.strip();
      boolean begins = !inComment && !inText && code.startsWith("/*");
      boolean isComment = inComment || begins || !inText && code.startsWith("//");
      inComment = (inComment || begins) && !code.contains("*/");
      if (!isComment && !code.isEmpty()) {
        lines++;
        inText ^= code.split("\"\"\"", -1).length % 2 == 0;
      }
    }
    return lines;
  }

  @ParameterizedTest
  @CsvSource({
    "'int a;', 1",
    "'int a; // b', 1",
    "'// b\n\nint a;', 1",
    "'/** a\n * b\n */\nint c;', 1",
    "'/* a */\nint b;', 1",
    "'String a = \"\"\"\n  // b\n  \"\"\";', 3",
    "'', 0"
  })
  void whatALineOfCodeIs(String source, int lines) {
    assertThat(linesOfCode(source)).isEqualTo(lines);
  }
}
