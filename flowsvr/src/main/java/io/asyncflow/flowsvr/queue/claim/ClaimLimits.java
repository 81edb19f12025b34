package io.asyncflow.flowsvr.queue.claim;

import io.asyncflow.flowsvr.queue.claim.ClaimLimitStore.Spending;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.rules.CellRate;
import java.util.OptionalLong;
import org.springframework.stereotype.Component;

/**
 * Decides how many tasks a claim may take of a type with a {@code max_executing} or a {@code
 * rate_limit}.
 *
 * <p>Both limits are exact over all servers: claims of such a type are serialized by the lock of
 * its row in {@code t_type_limit}. Executing tasks are counted in the task tables, so no count
 * leaks when a worker or a server dies. The live tables are read under that lock, because another
 * server may have added a table and claimed tasks from it a moment ago. The rate is a {@link
 * CellRate} on the database's clock. A claim that is rolled back spends nothing.
 *
 * <p>A type without limits costs no statement.
 */
@Component
class ClaimLimits {

  private final ClaimLimitStore store;

  ClaimLimits(ClaimLimitStore store) {
    this.store = store;
  }

  /**
   * What the limits allow a claim.
   *
   * @param tasks the most tasks that it may take
   * @param nextInMs if {@code tasks} is 0: milliseconds until a task may be allowed; empty if
   *     unknown
   * @param spentFrom microseconds since the epoch, from which its tasks are charged; 0 without a
   *     rate limit
   */
  record Allowance(int tasks, OptionalLong nextInMs, long spentFrom) {

    static final Allowance UNLIMITED = new Allowance(Integer.MAX_VALUE, OptionalLong.empty(), 0);
  }

  /**
   * Locks the type against other claims until the transaction ends, and returns this claim's
   * allowance.
   */
  Allowance lock(TaskTypeConfig type) {
    if (type.maxExecuting() == 0 && type.rateLimit() == 0) {
      return Allowance.UNLIMITED;
    }
    Spending spending = store.lock(type.type());
    Allowance allowance =
        type.rateLimit() == 0 ? Allowance.UNLIMITED : ofRate(spending, type.rateLimit());
    if (type.maxExecuting() > 0 && allowance.tasks() > 0) {
      int executing = store.executing(store.live(type.type()), type.maxExecuting());
      int free = type.maxExecuting() - executing;
      int tasks = Math.max(0, Math.min(free, allowance.tasks()));
      return new Allowance(tasks, OptionalLong.empty(), allowance.spentFrom());
    }
    return allowance;
  }

  static Allowance ofRate(Spending spending, int rateLimit) {
    CellRate rate = CellRate.perSecond(rateLimit);
    long from = rate.chargedFrom(spending.spentUntil(), spending.now());
    int permits = rate.permits(from, spending.now());
    OptionalLong nextInMs =
        permits > 0 ? OptionalLong.empty() : OptionalLong.of(rate.waitMs(from, 1, spending.now()));
    return new Allowance(permits, nextInMs, from);
  }

  /** Stores what a claim has used of its allowance. */
  void spend(TaskTypeConfig type, Allowance allowance, int tasks) {
    if (type.rateLimit() > 0 && tasks > 0) {
      CellRate rate = CellRate.perSecond(type.rateLimit());
      store.spend(type.type(), rate.spentUntil(allowance.spentFrom(), tasks));
    }
  }
}
