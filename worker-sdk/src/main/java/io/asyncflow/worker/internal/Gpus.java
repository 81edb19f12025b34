package io.asyncflow.worker.internal;

import io.asyncflow.worker.ChildPrograms;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The GPUs of this machine, as {@code nvidia-smi} lists them. */
public final class Gpus {

  /**
   * @param device {@code cuda:} and its index, or what {@code CUDA_VISIBLE_DEVICES} calls it
   * @param model as {@code NVIDIA H100 80GB HBM3}
   */
  public record Gpu(String device, String model) {}

  private static final Logger log = LoggerFactory.getLogger(Gpus.class);

  private static final List<String> NVIDIA_SMI =
      List.of("nvidia-smi", "--query-gpu=index,uuid,name", "--format=csv,noheader");

  /** A driver that is about to die may keep it for ever. */
  private static final long PATIENCE_SECONDS = 10;

  private Gpus() {}

  /** Those that this process may use; none where there is no GPU, no driver, or no answer. */
  public static List<Gpu> found() {
    List<Gpu> gpus = found(NVIDIA_SMI, System.getenv("CUDA_VISIBLE_DEVICES"));
    log.info("found {} GPUs: {}", gpus.size(), gpus);
    return gpus;
  }

  /**
   * @param visible what CUDA is told to see; {@code null} for all
   */
  static List<Gpu> found(List<String> command, String visible) {
    try {
      Process process =
          ChildPrograms.of(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      process.getOutputStream().close();
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        log.warn("nvidia-smi gives no answer; GPUs are not looked for");
        return List.of();
      }
      String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.exitValue() == 0 ? visible(answer, visible) : List.of();
    } catch (IOException thereIsNone) {
      log.debug("there is no nvidia-smi", thereIsNone);
      return List.of();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }

  private static List<Gpu> visible(String answer, String visible) {
    List<Gpu> gpus = new ArrayList<>();
    for (String line : answer.lines().toList()) {
      String[] fields = line.split(",", 3);
      if (fields.length == 3) {
        String name = nameIn(visible, fields[0].strip(), fields[1].strip());
        if (name != null) {
          gpus.add(new Gpu("cuda:" + name, fields[2].strip()));
        }
      }
    }
    return gpus;
  }

  /** What the process may call it; {@code null} if it may not see it. */
  private static String nameIn(String visible, String index, String uuid) {
    if (visible == null) {
      return index;
    }
    return Stream.of(visible.split(","))
        .map(String::strip)
        .filter(name -> name.equals(index) || !name.isEmpty() && uuid.startsWith(name))
        .findFirst()
        .orElse(null);
  }
}
