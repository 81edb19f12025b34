package io.asyncflow.flowsvr.compose.schedule.slice;

import static java.util.stream.Collectors.toMap;

import io.asyncflow.flowsvr.task.number.LiveServers.LiveServer;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
      long load,
      int schedules,
      long lateMs) {}

  /**
   * @param live the servers to show
   * @param beating those of them that share the schedules now
   * @param lateMs of the schedule that is due the longest, by slice
   */
  static SlicesView of(
      List<LiveServer> live,
      List<LiveServer> beating,
      List<SliceStore.Row> rows,
      Map<Integer, Long> lateMs) {
    SlicePlan plan =
        new SlicePlan(
            beating.stream().collect(toMap(LiveServer::node, LiveServer::weight)), rows, Set.of());
    return new SlicesView(
        live.stream().map(server -> view(server, rows, plan)).toList(),
        rows.stream().map(row -> view(row, lateMs.getOrDefault(row.slice(), 0L))).toList());
  }

  private static NodeView view(LiveServer server, List<SliceStore.Row> rows, SlicePlan plan) {
    List<SliceStore.Row> owned =
        rows.stream().filter(row -> row.owner().equals(server.node()) && !row.isOver()).toList();
    return new NodeView(
        server.node(),
        server.host(),
        server.version(),
        server.weight(),
        owned.stream().mapToLong(SliceStore.Row::load).sum(),
        Math.round(plan.share(server.node())),
        owned.size(),
        server.busy(),
        server.lastBeat());
  }

  private static SliceView view(SliceStore.Row row, long lateMs) {
    return new SliceView(
        row.slice(),
        row.owner().isEmpty() ? null : row.owner(),
        row.epoch(),
        row.takeTime() == 0 ? null : row.takeTime(),
        Math.max(0, row.leaseMs()),
        row.load(),
        row.schedules(),
        lateMs);
  }
}
