package io.asyncflow.flowsvr.edge.audit;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.audit.ActChainStore.Link;
import io.asyncflow.flowsvr.edge.audit.ActChainStore.Unchained;
import io.asyncflow.rules.act.ActChain;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Chains the acts in the order of their ids, and deletes them from the beginning of the chain on.
 * Acts wait for their link until all acts with lower ids are committed, so no act of a transaction
 * touches the row of another one.
 */
@Component
public class ActChaining {

  private static final Logger log = LoggerFactory.getLogger(Acts.LOG);
  private static final Duration INTERVAL = Duration.ofMinutes(1);

  /** No transaction lasts longer between its act and its commit. */
  private static final Duration OLD = Duration.ofSeconds(100);

  private static final int PAGE = 500;
  private static final int MAX_PAGES = 2_000;

  private final ActChainStore store;
  private final RetryingTransactions transactions;
  private final Duration retention;

  ActChaining(
      ActChainStore store,
      RetryingTransactions transactions,
      @Value("${flow.act-retention:365d}") Duration retention) {
    this.store = store;
    this.transactions = transactions;
    this.retention = retention;
  }

  @Bean
  Duty actChainDuty(DutyIntervals every) {
    return Duty.ofLeader("act-chain", every.notBelowSweep(INTERVAL), () -> runOnce(OLD));
  }

  /**
   * Chains all acts of this age; returns their number. If two servers do so at once, the primary
   * key refuses the links of one of them.
   */
  int runOnce(Duration age) {
    if (!store.hasUnchained()) {
      return 0; // the usual case, in one statement
    }
    int chained = 0;
    List<Link> page;
    do {
      page = transactions.execute(() -> chainPage(age));
      chained += page.size();
      tell(page);
    } while (page.size() == PAGE);
    return chained;
  }

  /** A collector that keeps a link has a proof that no server can take back. */
  private static void tell(List<Link> page) {
    if (!page.isEmpty()) {
      Link last = page.get(page.size() - 1);
      log.info(
          "{\"chainTo\":{},\"chain\":\"{}\"}", last.id(), HexFormat.of().formatHex(last.chain()));
    }
  }

  private List<Link> chainPage(Duration age) {
    Link last = store.last().orElse(new Link(0, ActChain.beginning()));
    List<Link> links = new ArrayList<>();
    for (Unchained act : store.after(last.id(), age, PAGE)) {
      if (!act.isOld()) {
        break;
      }
      last = new Link(act.id(), ActChain.next(last.chain(), act.values()));
      links.add(last);
    }
    if (!links.isEmpty()) {
      store.insert(links);
    }
    return links;
  }

  @Bean
  Duty actRetentionDuty(DutyIntervals every) {
    return Duty.ofCleaning("act-retention", every, this::deleteOld);
  }

  /**
   * Deletes the oldest acts, once they are chained, so the chain of the others stays whole; returns
   * their number.
   */
  int deleteOld() {
    int deleted = 0;
    int ofPage = PAGE;
    for (int page = 0; page < MAX_PAGES && ofPage >= PAGE - 1; page++) {
      // One of the links of a page may be the last one of the page before.
      ofPage =
          transactions.execute(
              () -> store.lastOlderThan(retention, PAGE).map(store::deleteUpTo).orElse(0));
      deleted += ofPage;
    }
    return deleted;
  }
}
