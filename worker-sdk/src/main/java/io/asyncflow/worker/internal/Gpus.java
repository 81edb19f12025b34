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
   * @param device {@code cuda:} and its index, or its name in {@code CUDA_VISIBLE_DEVICES}
   * @param model such as {@code NVIDIA H100 80GB HBM3}
   */
  public record Gpu(String device, String model) {}

  private static final Logger log = LoggerFactory.getLogger(Gpus.class);

  private static final List<String> NVIDIA_SMI =
      List.of("nvidia-smi", "--query-gpu=index,uuid,name", "--format=csv,noheader");

  /** A failing driver may block nvidia-smi for ever. */
  private static final long PATIENCE_SECONDS = 10;

  private Gpus() {}

  /** The GPUs that this process may use; empty without a GPU, a driver or an answer. */
  public static List<Gpu> found() {
    List<Gpu> gpus = found(NVIDIA_SMI, System.getenv("CUDA_VISIBLE_DEVICES"));
    log.info("found {} GPUs: {}", gpus.size(), gpus);
    return gpus;
  }

  /**
   * @param visible the value of {@code CUDA_VISIBLE_DEVICES}; {@code null} for all GPUs
   */
  static List<Gpu> found(List<String> command, String visible) {
    try {
      Process process =
          ChildPrograms.of(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      process.getOutputStream().close();
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        log.warn("nvidia-smi does not answer; no GPUs are used");
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

  /** The name of the GPU in this process; {@code null} if it is not visible. */
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
