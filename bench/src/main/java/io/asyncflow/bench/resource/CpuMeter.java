package io.asyncflow.bench.resource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Reads the processors' time from Linux' {@code /proc}.
 *
 * <p>The kernel's own threads (writing to the disk, say) count as others; interrupts count as
 * nobody's, as most of them are ours on loopback.
 */
public final class CpuMeter implements Supplier<CpuReading> {

  /** USER_HZ is 100 on every architecture that a JVM runs on. */
  private static final int TICKS_PER_SECOND = 100;

  private static final Path PROC = Path.of("/proc");

  private final Map<String, Long> pids;
  private final boolean ownIsAll;

  /**
   * @param pids the processes of the bench, by their names
   * @param ownIsAll whether that is all of them
   */
  public CpuMeter(Map<String, Long> pids, boolean ownIsAll) {
    this.pids = new LinkedHashMap<>(pids);
    this.ownIsAll = ownIsAll;
  }

  @Override
  public CpuReading get() {
    // cpu user nice system idle iowait irq softirq steal
    String[] cpu = firstLine(PROC.resolve("stat")).trim().split("\\s+");
    long busy =
        Long.parseLong(cpu[1]) + Long.parseLong(cpu[2]) + Long.parseLong(cpu[3]) + steal(cpu);
    long idle = Long.parseLong(cpu[4]) + Long.parseLong(cpu[5]);
    Map<String, CpuReading.Own> own = new LinkedHashMap<>();
    pids.forEach((name, pid) -> own.put(name, new CpuReading.Own(pid, ticksOf(pid))));
    return new CpuReading(System.nanoTime(), busy, idle, own, TICKS_PER_SECOND, ownIsAll);
  }

  private static long steal(String[] cpu) {
    return cpu.length > 8 ? Long.parseLong(cpu[8]) : 0;
  }

  private static long ticksOf(long pid) {
    String stat = firstLine(PROC.resolve(Long.toString(pid)).resolve("stat"));
    // The name in parentheses may hold spaces, so the fields are counted from behind it:
    // state is number 3, utime 14, stime 15.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
  }

  private static String firstLine(Path file) {
    try {
      return Files.readAllLines(file).get(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
