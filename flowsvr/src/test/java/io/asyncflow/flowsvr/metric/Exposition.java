package io.asyncflow.flowsvr.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A text in the format of Prometheus 0.0.4. */
final class Exposition {

  private static final Pattern META = Pattern.compile("# (HELP|TYPE) (\\S+) ?(.*)");
  private static final Pattern SAMPLE = Pattern.compile("([^{ ]+)(?:\\{(.*)})? (\\S+)");
  private static final Pattern LABEL =
      Pattern.compile("([A-Za-z_][A-Za-z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\",?");
  private static final List<String> PARTS = List.of("_bucket", "_count", "_sum");

  private final Map<String, Family> families = new LinkedHashMap<>();

  /**
   * The metrics of a name.
   *
   * @param help empty for none
   * @param type empty for none
   */
  record Family(String name, String help, String type, List<Sample> samples) {

    boolean hasParts() {
      return type.equals("histogram") || type.equals("summary");
    }

    Set<String> names() {
      return samples.stream().map(Sample::name).collect(java.util.stream.Collectors.toSet());
    }
  }

  record Sample(String name, Map<String, String> labels, double value) {}

  static Exposition parse(String text) {
    Exposition parsed = new Exposition();
    for (String line : text.split("\n")) {
      if (line.startsWith("#")) {
        parsed.meta(line);
      } else if (!line.isBlank()) {
        parsed.sample(line);
      }
    }
    return parsed;
  }

  private void meta(String line) {
    Matcher meta = META.matcher(line);
    assertThat(meta.matches()).as(line).isTrue();
    String name = meta.group(2);
    Family known = families.getOrDefault(name, new Family(name, "", "", new ArrayList<>()));
    assertThat(known.samples()).as("says it before its samples: " + line).isEmpty();
    boolean isHelp = meta.group(1).equals("HELP");
    assertThat(isHelp ? known.help() : known.type()).as("says it once: " + line).isEmpty();
    families.put(
        name,
        new Family(
            name,
            isHelp ? meta.group(3).strip() : known.help(),
            isHelp ? known.type() : meta.group(3),
            known.samples()));
  }

  private void sample(String line) {
    Matcher sample = SAMPLE.matcher(line);
    assertThat(sample.matches()).as(line).isTrue();
    String name = sample.group(1);
    Map<String, String> labels = new TreeMap<>();
    if (sample.group(2) != null) {
      Matcher label = LABEL.matcher(sample.group(2));
      int end = 0;
      while (label.find()) {
        assertThat(label.start()).as(line).isEqualTo(end);
        end = label.end();
        assertThat(labels.put(label.group(1), label.group(2))).as(line).isNull();
      }
      assertThat(end).as(line).isEqualTo(sample.group(2).length());
    }
    String value = sample.group(3);
    double number =
        switch (value) {
          case "+Inf" -> Double.POSITIVE_INFINITY;
          case "-Inf" -> Double.NEGATIVE_INFINITY;
          default -> Double.parseDouble(value);
        };
    familyOf(name).samples().add(new Sample(name, labels, number));
  }

  private Family familyOf(String sample) {
    Family own = families.get(sample);
    if (own == null) {
      own =
          PARTS.stream()
              .filter(sample::endsWith)
              .map(part -> families.get(sample.substring(0, sample.length() - part.length())))
              .filter(family -> family != null && family.hasParts())
              .findFirst()
              .orElse(null);
    }
    assertThat(own).as("the family of " + sample).isNotNull();
    return own;
  }

  Collection<Family> families() {
    return families.values();
  }

  Stream<Sample> samples() {
    return families.values().stream().flatMap(family -> family.samples().stream());
  }

  /** The sum of the samples with a name and these labels, {@code name, value, …}. */
  double sum(String name, String... labels) {
    return samples()
        .filter(sample -> sample.name().equals(name))
        .filter(
            sample -> {
              for (int i = 0; i < labels.length; i += 2) {
                if (!labels[i + 1].equals(sample.labels().get(labels[i]))) {
                  return false;
                }
              }
              return true;
            })
        .mapToDouble(Sample::value)
        .sum();
  }
}
