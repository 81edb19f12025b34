package io.asyncflow.systemtest.build;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No assignment of a statement reads a column that the same statement has assigned before: MySQL
 * gives it the new value, and standard SQL, TiDB and a MariaDB with {@code SIMULTANEOUS_ASSIGNMENT}
 * the old one. Looks at the texts of the sources, so also at lists of assignments from which a
 * statement is made.
 */
class AssignmentTest {

  private static final String TEXT = "(?:\"\"\"[\\s\\S]*?\"\"\"|\"(?:[^\"\\\\\\n]++|\\\\.)*+\")";

  /** Texts that are joined, with what lies between them. */
  private static final Pattern JOINED =
      Pattern.compile(TEXT + "(?:\\s*\\+\\s*(?:" + TEXT + "|[\\w.()]++))*+");

  /** A text, or what is joined to it. */
  private static final Pattern PART = Pattern.compile(TEXT + "|[\\w.()]++");

  /** What may begin a list of assignments, and what follows it. */
  private static final Pattern LIST =
      Pattern.compile(
          "(?:\\bSET\\b(?=\\s*%)|(?:^|\\bSET\\b|\\bDUPLICATE KEY UPDATE\\b)(?=\\s*[\\w.]+\\s*=))"
              + "(.*?)(?=$|\\b(?:WHERE|ORDER BY|LIMIT|SET)\\b)",
          Pattern.DOTALL | Pattern.CASE_INSENSITIVE);

  /** Parameters, quoted texts and the values of a row to insert, which are no columns. */
  private static final Pattern NO_COLUMNS =
      Pattern.compile(":\\w+|'[^']*'|\\bVALUES\\s*\\(\\s*\\w+\\s*\\)", Pattern.CASE_INSENSITIVE);

  private static final Pattern COLUMN = Pattern.compile("\\b(?!now_ms)[a-z][a-z0-9_.]*+(?!\\()");

  private static Stream<String> listsIn(String source) {
    return JOINED
        .matcher(source)
        .results()
        .map(joined -> joined(joined.group()))
        .flatMap(sql -> LIST.matcher(sql).results())
        .map(list -> list.group(1).strip());
  }

  private static String joined(String expression) {
    return PART.matcher(expression)
        .results()
        .map(MatchResult::group)
        .map(part -> part.startsWith("\"") ? part.replaceAll("^\"+|\"+$", "") : " ? ")
        .collect(Collectors.joining())
        .replace("\\n", "\n")
        .replaceAll("\\\\\\n", "")
        .strip();
  }

  /** After assignments that are put in from elsewhere, each may read no column but its own. */
  private static boolean readsWhatItAssigned(String list) {
    Set<String> assigned = new HashSet<>();
    boolean isAfterOthers = false;
    for (String assignment : assignmentsOf(NO_COLUMNS.matcher(list).replaceAll("?"))) {
      String[] sides = assignment.split("=", 2);
      String own = sides[0].strip();
      Set<String> read =
          COLUMN
              .matcher(sides[sides.length - 1])
              .results()
              .map(MatchResult::group)
              .collect(toSet());
      if (isAfterOthers && !Set.of(own).containsAll(read) || read.removeAll(assigned)) {
        return true;
      }
      assigned.add(own);
      isAfterOthers |= own.contains("%");
    }
    return false;
  }

  /** Its parts between the commas outside of all parentheses. */
  private static List<String> assignmentsOf(String list) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int from = 0;
    for (int i = 0; i < list.length(); i++) {
      char c = list.charAt(i);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && depth == 0) {
        parts.add(list.substring(from, i));
        from = i + 1;
      }
    }
    parts.add(list.substring(from));
    return parts;
  }

  @Test
  void noStatementReadsWhatItAssigned() throws IOException {
    List<String> lists = new ArrayList<>();
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      modules
          .map(module -> module.resolve("src/main"))
          .filter(Files::isDirectory)
          .flatMap(LocaleTest::sourcesBelow)
          .flatMap(file -> listsIn(LocaleTest.read(file)))
          .forEach(lists::add);
    }
    assertThat(lists).hasSizeGreaterThan(60);
    assertThat(lists.stream().filter(AssignmentTest::readsWhatItAssigned)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"UPDATE t SET a = 1, b = a WHERE id = 1\"",
        "\"UPDATE t SET a = ?, b = IF(c > 0, \" + sql + \", a + 1)\"",
        "\"\"\"\n UPDATE v\n JOIN t\n SET t.a = v.a,\n t.b = COALESCE(v.b, t.a)\n \"\"\"",
        "\"\"\"\n state = IF(done > 0, 'A', :b),\n done = CASE WHEN state = 'A' THEN 1 END\\\n \"\"\"",
        "\"UPDATE t SET %s, b = IF(a > 0, 1, b) WHERE id = ?\"",
        "\"INSERT INTO t (a) VALUES (?) ON DUPLICATE KEY UPDATE a = VALUES(a), b = a\""
      })
  void itIsFound(String source) {
    assertThat(listsIn(source)).anyMatch(AssignmentTest::readsWhatItAssigned);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"UPDATE t SET %s, b = b + 1, c = now_ms WHERE id = ?\"",
        "\"UPDATE t SET a = a + 1, b = 'a', c = :a WHERE a = 1\"",
        "\"\"\"\n UPDATE v\n JOIN t\n SET t.a = v.a,\n t.b = v.a + t.b\n \"\"\"",
        "\"INSERT INTO t (a) VALUES (?) ON DUPLICATE KEY UPDATE a = VALUES(a), b = VALUES(a)\"",
        "f(\"UPDATE t SET a = 1\"); f(\"UPDATE t SET b = a\")"
      })
  void nothingElseIs(String source) {
    assertThat(listsIn(source)).noneMatch(AssignmentTest::readsWhatItAssigned);
  }
}
