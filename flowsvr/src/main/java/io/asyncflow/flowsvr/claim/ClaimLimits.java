package io.asyncflow.flowsvr.claim;

import io.asyncflow.flowsvr.claim.ClaimLimitStore.Spending;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/**
 * How many tasks of a type with a {@code max_executing} or a {@code rate_limit} a claim may take.
 *
 * <p>Both are exact over all servers: claims of such a type come one after the other, by the lock
 * of its row in {@code t_type_limit}. What executes is counted from the task tables, so nothing
 * leaks when a worker or a server dies; and from all of them as they are under that lock, since
 * another server may have rolled, and filled the limit from the new table, a moment ago. The rate
 * is a generic cell rate algorithm (ITU-T I.371) on the database's clock: permits come evenly, and
 * a tenth of a second's worth of them may be taken at once. A claim that is rolled back has spent
 * nothing.
 *
 * <p>Types without limits cost nothing.
 */
@Component
class ClaimLimits {

  private static final long SECOND_US = TimeUnit.SECONDS.toMicros(1);
  private static final long BURST_US = SECOND_US / 10;

  private final ClaimLimitStore store;

  ClaimLimits(ClaimLimitStore store) {
    this.store = store;
  }

  /**
   * What a claim may do.
   *
   * @param tasks how many it may take
   * @param nextInMs when there are none: how long until there may be one; empty if nobody knows
   * @param spentFrom where what it takes is spent from; 0 where there is no rate
   */
  record Allowance(int tasks, OptionalLong nextInMs, long spentFrom) {

    static final Allowance UNLIMITED = new Allowance(Integer.MAX_VALUE, OptionalLong.empty(), 0);
  }

  /** Locks the type against other claims, and says how many tasks this one may take. */
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
    long interval = intervalUs(rateLimit);
    long idle = spending.now() - Math.max(interval, BURST_US);
    // What is spent is never ahead of now, unless the database's clock was set back since. A claim
    // that waited for the clock to come there would wait as long as the step was.
    boolean wasSetBack = spending.spentUntil() > spending.now();
    long spent = wasSetBack ? idle : Math.max(spending.spentUntil(), idle);
    long permits = Math.max(0, (spending.now() - spent) / interval);
    OptionalLong nextInMs =
        permits > 0
            ? OptionalLong.empty()
            : OptionalLong.of((spent + interval - spending.now()) / 1_000 + 1);
    return new Allowance((int) Math.min(permits, Integer.MAX_VALUE), nextInMs, spent);
  }

  /** Writes down what a claim took of its allowance. */
  void spend(TaskTypeConfig type, Allowance allowance, int tasks) {
    if (type.rateLimit() > 0 && tasks > 0) {
      store.spend(type.type(), allowance.spentFrom() + tasks * intervalUs(type.rateLimit()));
    }
  }

  private static long intervalUs(int rateLimit) {
    return Math.max(1, SECOND_US / rateLimit);
  }
}
