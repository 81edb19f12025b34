package io.asyncflow.flowsvr.metric;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.metric.Exposition.Sample;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A selector of series in an expression of PromQL.
 *
 * @param grouped the labels that the expression groups by, but for {@code le}
 */
record Selector(String metric, List<Match> matches, Set<String> grouped) {

  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s+|\"(?:[^\"\\\\]|\\\\.)*\"|\\$[A-Za-z_]+|[A-Za-z_:][A-Za-z0-9_:]*"
              + "|[0-9][0-9.]*[a-z]*(?::[0-9]+[a-z])?|=~|!~|!=|==|>=|<=|[-+*/%(){}\\[\\],=<>]");

  private static final Set<String> WORDS =
      Set.of(
          "sum",
          "max",
          "min",
          "count",
          "rate",
          "increase",
          "delta",
          "max_over_time",
          "min_over_time",
          "last_over_time",
          "offset",
          "histogram_quantile",
          "absent",
          "topk",
          "time",
          "clamp_min",
          "and",
          "or",
          "unless",
          "bool");

  private static final Set<String> GROUPINGS = Set.of("by", "without", "on", "ignoring");

  /** A condition on a label. */
  record Match(String label, String operator, String value) {

    boolean accepts(Sample sample) {
      String is = sample.labels().getOrDefault(label, "");
      return switch (operator) {
        case "=" -> is.equals(value);
        case "!=" -> !is.equals(value);
        case "=~" -> is.matches(value);
        case "!~" -> !is.matches(value);
        default -> throw new AssertionError(operator);
      };
    }
  }

  boolean accepts(Sample sample) {
    return sample.name().equals(metric)
        && matches.stream().allMatch(match -> match.accepts(sample));
  }

  /**
   * The selectors of an expression. A variable of Grafana stands for any value.
   *
   * @throws AssertionError if it is none, or has a function that is not known here
   */
  static List<Selector> of(String expression) {
    List<String> tokens = tokens(expression);
    assertBalanced(tokens, expression);
    List<Selector> selectors = new ArrayList<>();
    Set<String> grouped = new HashSet<>();
    for (int i = 0; i < tokens.size(); i++) {
      String token = tokens.get(i);
      String next = i + 1 < tokens.size() ? tokens.get(i + 1) : "";
      if (GROUPINGS.contains(token)) {
        int end = i + tokens.subList(i, tokens.size()).indexOf(")");
        tokens.subList(i + 2, end).stream().filter(t -> !t.equals(",")).forEach(grouped::add);
        i = end;
      } else if (WORDS.contains(token)) {
        assertThat(next.equals("(") || next.equals("by") || token.length() < 7)
            .as(token + " in " + expression)
            .isTrue();
      } else if (token.matches("[A-Za-z_:].*")) {
        assertThat(next).as("no function that is known: " + token).isNotEqualTo("(");
        List<Match> matches = new ArrayList<>();
        if (next.equals("{")) {
          int end = i + tokens.subList(i, tokens.size()).indexOf("}");
          for (int at = i + 2; at < end; at += 4) {
            String quoted = tokens.get(at + 2);
            String value = quoted.substring(1, quoted.length() - 1);
            String any = value.startsWith("$") ? ".*" : value;
            matches.add(new Match(tokens.get(at), tokens.get(at + 1), any));
          }
          i = end;
        }
        selectors.add(new Selector(token, matches, grouped));
      } else if (token.equals("[")) {
        assertThat(tokens.get(i + 1))
            .as(expression)
            .matches("\\d+[smhd](:\\d+[smhd])?|\\$__rate_interval");
        assertThat(tokens.get(i + 2)).as(expression).isEqualTo("]");
        i += 2;
      }
    }
    assertThat(selectors).as(expression).isNotEmpty();
    grouped.remove("le");
    return selectors;
  }

  private static void assertBalanced(List<String> tokens, String expression) {
    for (String pair : List.of("()", "{}", "[]")) {
      assertThat(tokens.stream().filter(pair.substring(0, 1)::equals).count())
          .as(expression)
          .isEqualTo(tokens.stream().filter(pair.substring(1)::equals).count());
    }
  }

  private static List<String> tokens(String expression) {
    List<String> tokens = new ArrayList<>();
    Matcher token = TOKEN.matcher(expression);
    int end = 0;
    while (token.find()) {
      assertThat(token.start()).as("in " + expression).isEqualTo(end);
      end = token.end();
      if (!token.group().isBlank()) {
        tokens.add(token.group());
      }
    }
    assertThat(end).as("in " + expression).isEqualTo(expression.length());
    return tokens;
  }
}
