package io.asyncflow.flowsvr.schedule.slice;

import java.util.List;

/**
 * The servers and the slices, for operators.
 *
 * @param nodeList the live servers, by the order of their numbers
 * @param sliceList all slices, by number
 */
record SlicesView(List<NodeView> nodeList, List<SliceView> sliceList) {

  /**
   * A server.
   *
   * @param node its id, new for every start
   * @param version of the server program; empty if unknown
   * @param weight its share, beside the weights of the others
   * @param maxLoad the most load that it takes; 0 for no limit
   * @param load of the slices that it owns
   * @param share the load that it should have
   * @param slices how many slices it owns
   * @param busy per cent of the last minute that it spent making fires
   * @param beat epoch ms of its last sign of life
   */
  record NodeView(
      String node,
      String host,
      String version,
      int weight,
      long maxLoad,
      long load,
      long share,
      int slices,
      int busy,
      long beat) {}

  /**
   * A slice.
   *
   * @param owner a node's id, live or not; {@code null} before the first one
   * @param epoch rises with every change of the owner
   * @param since epoch ms since when the owner has it; {@code null} before the first one
   * @param leaseMs the remaining time of the lease; 0 if it is over
   * @param candidate the node that shall have it next; {@code null} for none
   * @param load of its active schedules, as of the last minute
   * @param schedules active ones, as of the last minute
   * @param lateMs how long the schedule that is due the longest has waited for the owner's look
   */
  record SliceView(
      int slice,
      String owner,
      long epoch,
      Long since,
      long leaseMs,
      String candidate,
      long load,
      int schedules,
      long lateMs) {}
}
