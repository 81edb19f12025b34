package io.asyncflow.bench.contest;

import java.util.List;

/**
 * What the results of a contest mean: as words while it runs, as a table, a chart and findings
 * after it.
 *
 * @param <R> a result
 */
public interface Measure<R> {

  /**
   * One result, while the bench goes on.
   *
   * @param units how often the work was done for it
   */
  String inWords(R result, int units);

  /** All results and their medians, as a table in Markdown that ends with a line break. */
  String table(Standings<R> standings);

  /** The same to look at. */
  BarChart chart(Standings<R> standings);

  /** What to remember of it all. */
  List<Finding> findings(Standings<R> standings);
}
