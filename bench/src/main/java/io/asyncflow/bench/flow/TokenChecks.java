package io.asyncflow.bench.flow;

import io.asyncflow.bench.contest.Contender;
import io.asyncflow.rules.access.AccessKey;
import io.asyncflow.rules.access.AccessKeyRow;
import io.asyncflow.rules.access.AccessKeyRow.Rights;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What a server does with the token of a request, in this process: it reads the key, finds its row,
 * digests the secret and compares. The results are nanoseconds, one check each.
 */
public final class TokenChecks implements Contender<Histogram> {

  private final Map<String, AccessKeyRow> known = new HashMap<>();
  private final List<String> tokens = new ArrayList<>();

  public TokenChecks(int keys) {
    for (int i = 0; i < keys; i++) {
      AccessKey key = AccessKey.random();
      known.put(
          key.id(),
          AccessKeyRow.of(
              key, "bench " + i, Rights.everywhere("WORKER"), "local", 0, Long.MAX_VALUE));
      tokens.add(key.text());
    }
  }

  @Override
  public String name() {
    return String.format(Locale.ROOT, "%,d keys", known.size());
  }

  @Override
  public Histogram run(int checks) {
    Histogram times = new Histogram(3);
    for (int i = 0; i < checks; i++) {
      String token = tokens.get(i % tokens.size());
      long begin = System.nanoTime();
      boolean isGood = isGood(token, i);
      times.recordValue(System.nanoTime() - begin);
      if (!isGood) {
        throw new IllegalStateException("a good token was refused");
      }
    }
    return times;
  }

  private boolean isGood(String token, long now) {
    AccessKey sent = AccessKey.parse(token).orElseThrow();
    AccessKeyRow row = known.get(sent.id());
    return MessageDigest.isEqual(sent.hash(), row.hash()) && row.isLive(now);
  }
}
