package io.asyncflow.bench.resource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * The memory of a JVM.
 *
 * @param residentMiB that the kernel has given to the process
 * @param peakMiB the most that it ever was
 * @param liveBytes of the heap that a full collection leaves; empty where no jcmd is at hand
 */
public record ServerMemory(long residentMiB, long peakMiB, OptionalLong liveBytes) {

  /** Collects its garbage, after having looked at what it has. */
  public static ServerMemory of(long pid) throws IOException, InterruptedException {
    ServerMemory now = resident(pid);
    return new ServerMemory(now.residentMiB, now.peakMiB, live(pid));
  }

  /** Leaves its garbage as it is, and the heap unknown. */
  public static ServerMemory resident(long pid) throws IOException {
    List<String> status = Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"));
    return new ServerMemory(mib(status, "VmRSS:"), mib(status, "VmHWM:"), OptionalLong.empty());
  }

  private static long mib(List<String> status, String name) {
    return status.stream()
        .filter(line -> line.startsWith(name))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
        .findFirst()
        .orElse(0);
  }

  /** A histogram of the heap collects it first; its last line is the sum. */
  private static OptionalLong live(long pid) throws IOException, InterruptedException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    if (!Files.isExecutable(jcmd)) {
      return OptionalLong.empty();
    }
    Process process =
        new ProcessBuilder(jcmd.toString(), Long.toString(pid), "GC.class_histogram")
            .redirectErrorStream(true)
            .start();
    List<String> lines =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();
    process.waitFor();
    return lines.stream()
        .filter(line -> line.startsWith("Total"))
        .mapToLong(line -> Long.parseLong(line.trim().split("\\s+")[2]))
        .findFirst();
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%,d MiB resident, %,d at most", residentMiB, peakMiB)
        + (liveBytes.isPresent()
            ? String.format(Locale.ROOT, ", %,d of live heap", liveBytes.getAsLong() >> 20)
            : "");
  }
}
