package io.asyncflow.flowsvr.metric;

import io.asyncflow.flowsvr.metric.Exposition.Family;
import io.asyncflow.flowsvr.metric.Exposition.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What {@code promtool check metrics} finds, and some more that dashboards rely on. */
final class Lint {

  private static final Set<String> TYPES = Set.of("counter", "gauge", "histogram", "summary");
  private static final Set<String> NOT_BASE =
      Set.of(
          "milliseconds",
          "microseconds",
          "nanoseconds",
          "minutes",
          "hours",
          "days",
          "weeks",
          "kilobytes",
          "megabytes",
          "gigabytes",
          "percent",
          "s",
          "ms",
          "us",
          "ns",
          "sec",
          "secs",
          "b",
          "kb",
          "mb",
          "gb",
          "m",
          "h",
          "d");

  /** Those that a scrape sets, and those that the format needs for itself. */
  private static final Set<String> RESERVED = Set.of("job", "instance", "le", "quantile");

  private Lint() {}

  /** What is wrong with a family; empty if nothing is. */
  static List<String> problems(Family family) {
    List<String> problems = new ArrayList<>(shape(family));
    String name = family.name();
    List<String> words = Arrays.asList(name.replaceFirst("_max$", "").split("_")); // of Micrometer
    if (!name.matches("[a-z][a-z0-9_]*")) {
      problems.add("is no name in snake case");
    }
    if (family.type().equals("counter") != name.endsWith("_total")) {
      problems.add("has to end in _total just if it is a counter");
    }
    if (TYPES.stream().anyMatch(words::contains)) {
      problems.add("has its type in its name");
    }
    words.stream()
        .filter(NOT_BASE::contains)
        .forEach(unit -> problems.add(unit + ": no base unit"));
    if (words.contains("seconds")
        && words.indexOf("seconds") < words.size() - (name.endsWith("_total") ? 2 : 1)) {
      problems.add("has its unit before other words");
    }
    for (Sample sample : family.samples()) {
      Set<String> labels = new HashSet<>(sample.labels().keySet());
      if (sample.name().endsWith("_bucket")) {
        labels.remove("le");
      }
      labels.stream()
          .filter(label -> RESERVED.contains(label) || !label.matches("[a-z][a-z0-9_]*"))
          .forEach(label -> problems.add("has the label " + label));
    }
    return problems.stream().distinct().map(problem -> name + " " + problem).toList();
  }

  /** What would be wrong with a metric of any name. */
  static List<String> shape(Family family) {
    List<String> problems = new ArrayList<>();
    if (family.help().isBlank()) {
      problems.add("has no HELP");
    }
    if (!TYPES.contains(family.type())) {
      problems.add("has no TYPE");
    }
    Set<List<Object>> series = new HashSet<>();
    for (Sample sample : family.samples()) {
      if (!series.add(List.of(sample.name(), sample.labels()))) {
        problems.add("has a series twice: " + sample);
      }
    }
    if (family.type().equals("histogram")) {
      problems.addAll(ofHistogram(family));
    }
    return problems;
  }

  private static List<String> ofHistogram(Family family) {
    List<String> problems = new ArrayList<>();
    Map<Map<String, String>, TreeMap<Double, Double>> buckets = new HashMap<>();
    Map<Map<String, String>, Double> counts = new HashMap<>();
    Set<Map<String, String>> sums = new HashSet<>();
    for (Sample sample : family.samples()) {
      Map<String, String> labels = new TreeMap<>(sample.labels());
      if (sample.name().endsWith("_bucket")) {
        String le = labels.remove("le");
        double bound = le.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(le);
        TreeMap<Double, Double> ofLabels = buckets.computeIfAbsent(labels, l -> new TreeMap<>());
        if (!ofLabels.isEmpty() && ofLabels.lastKey() >= bound) {
          problems.add("has unsorted buckets at " + sample);
        }
        if (!ofLabels.isEmpty() && ofLabels.lastEntry().getValue() > sample.value()) {
          problems.add("has buckets that do not add up at " + sample);
        }
        ofLabels.put(bound, sample.value());
      } else if (sample.name().endsWith("_count")) {
        counts.put(labels, sample.value());
      } else {
        sums.add(labels);
      }
    }
    buckets.forEach(
        (labels, ofLabels) -> {
          if (ofLabels.lastKey() != Double.POSITIVE_INFINITY) {
            problems.add("has no bucket +Inf for " + labels);
          } else if (!ofLabels.lastEntry().getValue().equals(counts.get(labels))) {
            problems.add("counts another number than its buckets for " + labels);
          }
        });
    if (!buckets.keySet().equals(counts.keySet()) || !sums.equals(counts.keySet())) {
      problems.add("lacks a part");
    }
    return problems;
  }
}
