package io.asyncflow.flowsvr.schedule.slice;

import static java.util.Comparator.comparing;
import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;

import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.act.Acts;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.number.LiveServers;
import io.asyncflow.flowsvr.number.LiveServers.LiveServer;
import io.asyncflow.flowsvr.schedule.slice.SlicesView.NodeView;
import io.asyncflow.flowsvr.schedule.slice.SlicesView.SliceView;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/** What operators see of the slices, and do to them. Thread-safe. */
@Service
class SliceActs {

  private static final Logger log = LoggerFactory.getLogger(SliceActs.class);

  private final SliceStore store;
  private final LiveServers servers;
  private final Acts acts;
  private final RetryingTransactions transactions;

  SliceActs(SliceStore store, LiveServers servers, Acts acts, RetryingTransactions transactions) {
    this.store = store;
    this.servers = servers;
    this.acts = acts;
    this.transactions = transactions;
  }

  /** The slices and the live servers as they are now. */
  SlicesView view() {
    List<SliceStore.Row> rows = store.all();
    List<LiveServer> live = servers.list();
    Map<Integer, Long> late = store.lateMs();
    SlicePlan plan = plan(rows, servers.thatBeatWithin(SliceRounds.ALIVE));
    return new SlicesView(
        live.stream().map(server -> view(server, rows, plan)).toList(),
        rows.stream().map(row -> view(row, late.getOrDefault(row.slice(), 0L))).toList());
  }

  private static SlicePlan plan(List<SliceStore.Row> rows, List<LiveServer> beating) {
    return new SlicePlan(
        beating.stream().map(s -> new SlicePlan.Member(s.node(), s.weight(), s.maxLoad())).toList(),
        rows.stream()
            .map(
                row ->
                    new SlicePlan.Slice(
                        row.slice(),
                        row.isVacant() ? "" : row.owner(),
                        row.isVacant() ? "" : row.candidate(),
                        row.load(),
                        0))
            .toList());
  }

  private static NodeView view(LiveServer server, List<SliceStore.Row> rows, SlicePlan plan) {
    List<SliceStore.Row> owned =
        rows.stream().filter(row -> row.owner().equals(server.node()) && !row.isVacant()).toList();
    return new NodeView(
        server.node(),
        server.host(),
        server.version(),
        server.weight(),
        server.maxLoad(),
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
        row.candidate().isEmpty() ? null : row.candidate(),
        row.load(),
        row.schedules(),
        lateMs);
  }

  /** A slice that its owner will hand over to the candidate, usually within a round. */
  record Promised(int slice, String owner, String candidate) {}

  /**
   * What came of a request to hand over.
   *
   * @param promised the slices that will be handed over
   * @param fault the field that is wrong; {@code null} if none is
   * @param rule what is wrong with it
   */
  record HandOver(List<Promised> promised, String fault, String rule) {

    private static HandOver refused(String fault, String rule) {
      return new HandOver(List.of(), fault, rule);
    }
  }

  /**
   * Makes the owner of a slice hand it over.
   *
   * @param to a node's id; {@code null} for the server that is furthest below its share
   */
  HandOver handOverSlice(int slice, String to, Reason why) {
    List<SliceStore.Row> rows = store.all();
    SliceStore.Row row = rows.get(slice);
    if (row.isVacant()) {
      return HandOver.refused("slice", "has no owner now; a server will take it");
    }
    return handOver(rows, row.owner(), List.of(slice), to, why);
  }

  /** Makes a server hand over all of its slices; the balance may give it others later. */
  HandOver handOverAll(String node, String to, Reason why) {
    List<SliceStore.Row> rows = store.all();
    List<Integer> slices =
        rows.stream()
            .filter(row -> row.owner().equals(node) && !row.isVacant())
            .map(SliceStore.Row::slice)
            .toList();
    if (slices.isEmpty()) {
      return HandOver.refused("node", "owns no slice");
    }
    return handOver(rows, node, slices, to, why);
  }

  private HandOver handOver(
      List<SliceStore.Row> rows, String owner, List<Integer> slices, String to, Reason why) {
    List<LiveServer> takers =
        servers.thatBeatWithin(SliceRounds.ALIVE).stream()
            .filter(server -> server.weight() > 0 && !server.node().equals(owner))
            .toList();
    if (to != null && takers.stream().noneMatch(server -> server.node().equals(to))) {
      return HandOver.refused("to", "names no other live server with a weight");
    }
    if (takers.isEmpty()) {
      return HandOver.refused("to", "has no choice: there is no other live server with a weight");
    }
    List<SlicePlan.Move> moves =
        to == null
            ? plan(rows, takers).spread(owner, slices)
            : slices.stream().map(slice -> new SlicePlan.Move(slice, owner, to)).toList();
    Map<Integer, SliceStore.Row> bySlice =
        rows.stream().collect(toMap(SliceStore.Row::slice, identity()));
    List<SlicePlan.Move> sorted = moves.stream().sorted(comparing(SlicePlan.Move::slice)).toList();
    List<Promised> promised = transactions.execute(() -> promise(sorted, bySlice, why));
    log.info("an operator lets {} hand over {} slices of the schedules", owner, promised.size());
    return new HandOver(promised, null, null);
  }

  /** Promises slices, and records the act on each; leaves out those that changed meanwhile. */
  private List<Promised> promise(
      List<SlicePlan.Move> moves, Map<Integer, SliceStore.Row> bySlice, Reason why) {
    List<Promised> promised = new ArrayList<>();
    for (SlicePlan.Move move : moves) {
      if (store.promise(bySlice.get(move.slice()), move.to())) {
        Promised one = new Promised(move.slice(), move.from(), move.to());
        acts.record(Act.of("HAND_OVER", "slice:" + move.slice()).by(why).with(one));
        promised.add(one);
      }
    }
    return promised;
  }
}
