package io.asyncflow.flowsvr.queue.create.limit;

import io.asyncflow.flowsvr.edge.web.error.RateExceededException;
import io.asyncflow.flowsvr.edge.web.read.InvalidFieldException;
import io.asyncflow.flowsvr.queue.create.limit.UserLimitStore.Spending;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.rules.CellRate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.springframework.stereotype.Component;

/** Charges creates to their users. */
@Component
public class UserLimits {

  private final UserLimitStore store;

  UserLimits(UserLimitStore store) {
    this.store = store;
  }

  /**
   * Charges new tasks of a type; does nothing if the type has no {@code user_rate_limit}. Call it
   * in the transaction that inserts the tasks, before it inserts them.
   *
   * @param tasks the number of new tasks by user
   * @throws RateExceededException if a user has to wait; nothing is charged
   * @throws InvalidFieldException if a user has more tasks in this call than the limit ever allows
   */
  public void charge(TaskTypeConfig type, SortedMap<String, Integer> tasks) {
    if (type.userRateLimit() == 0) {
      return;
    }
    CellRate rate = CellRate.perMinute(type.userRateLimit());
    tasks.forEach((user, count) -> requirePossible(type, rate, user, count));
    Map<String, Spending> spendings = store.lock(type.type(), tasks.keySet());
    SortedMap<String, Long> spentUntil = new TreeMap<>();
    tasks.forEach(
        (user, count) -> spentUntil.put(user, spend(type, rate, user, count, spendings.get(user))));
    store.spend(type.type(), spentUntil);
  }

  /**
   * Those of several new tasks, by position, that {@link #charge} would permit now; all of them if
   * the type has no {@code user_rate_limit}. An estimate: nothing is charged or locked.
   *
   * @param users the user of each task
   */
  public List<Integer> permitted(TaskTypeConfig type, List<String> users) {
    if (type.userRateLimit() == 0) {
      return IntStream.range(0, users.size()).boxed().toList();
    }
    CellRate rate = CellRate.perMinute(type.userRateLimit());
    Map<String, Spending> spendings = store.find(type.type(), Set.copyOf(users));
    Map<String, Integer> left = new HashMap<>();
    List<Integer> permitted = new ArrayList<>();
    for (int i = 0; i < users.size(); i++) {
      int permits = left.computeIfAbsent(users.get(i), user -> permits(rate, spendings.get(user)));
      if (permits > 0) {
        permitted.add(i);
        left.put(users.get(i), permits - 1);
      }
    }
    return permitted;
  }

  /**
   * @param spending {@code null} of a user without a row
   */
  private static int permits(CellRate rate, Spending spending) {
    return spending == null
        ? rate.most()
        : rate.permits(rate.chargedFrom(spending.spentUntil(), spending.now()), spending.now());
  }

  private static void requirePossible(TaskTypeConfig type, CellRate rate, String user, int count) {
    if (count > rate.most()) {
      throw new InvalidFieldException(
          "taskDataList",
          "has %s tasks of user %s, and type %s allows a user %s a minute"
              .formatted(count, user, type.type(), type.userRateLimit()));
    }
  }

  private static long spend(
      TaskTypeConfig type, CellRate rate, String user, int count, Spending spending) {
    long from = rate.chargedFrom(spending.spentUntil(), spending.now());
    if (rate.permits(from, spending.now()) < count) {
      throw new RateExceededException(
          "user %s has created the %s tasks a minute that type %s allows; nothing was created"
              .formatted(user, type.userRateLimit(), type.type()),
          Duration.ofMillis(rate.waitMs(from, count, spending.now())));
    }
    return rate.spentUntil(from, count);
  }
}
