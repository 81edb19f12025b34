package io.asyncflow.bench.measure;

/**
 * What workers without tasks cost their servers and the database.
 *
 * @param without the same servers before the first worker
 * @param kibEach of a server's live heap for each of its workers
 */
public record FleetCost(Load without, Load with, double kibEach) {

  /**
   * What there was a second.
   *
   * @param statements that the database was sent
   * @param rows that it wrote
   * @param calls that the workers sent
   * @param servers cores that the servers used together
   * @param database cores that the database used; 0 if it was given
   */
  public record Load(
      double statements, double rows, double calls, double servers, double database) {}
}
