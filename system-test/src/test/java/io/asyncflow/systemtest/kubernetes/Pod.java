package io.asyncflow.systemtest.kubernetes;

import static io.asyncflow.systemtest.kubernetes.Chart.at;
import static io.asyncflow.systemtest.kubernetes.Chart.each;
import static io.asyncflow.systemtest.kubernetes.Chart.text;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A container as a Deployment describes it, on this machine: the files of the image, its user, the
 * volumes at their places, and nothing else that can be written. The JDK, which an image on {@code
 * scratch} lacks, and the network are the machine's. {@code bwrap} makes the sandbox.
 */
final class Pod implements AutoCloseable {

  private final Process sandbox;
  private final JsonObject deployment;
  private final Path directory;

  private Pod(Process sandbox, JsonObject deployment, Path directory) {
    this.sandbox = sandbox;
    this.deployment = deployment;
    this.directory = directory;
  }

  /** Whether this machine can make such a sandbox. */
  static boolean isPossible() throws IOException, InterruptedException {
    try {
      return new ProcessBuilder(
                  "bwrap", "--unshare-user", "--ro-bind", "/", "/", "--uid", "10001", "true")
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Starts it.
   *
   * @param secrets the values of Secrets, by name and key: {@code asyncflow/api-key}
   * @param directory for its volumes and its log
   */
  static Pod start(Image image, JsonObject deployment, Map<String, String> secrets, Path directory)
      throws IOException {
    JsonObject container = Chart.containerOf(deployment);
    JsonObject rights = at(deployment, "spec.template.spec.securityContext").getAsJsonObject();
    Path hosts = Files.createDirectories(directory).resolve("hosts");
    // As the DNS of the cluster would have it.
    String service = Chart.RELEASE + "-asyncflow-server." + Chart.NAMESPACE + ".svc";
    Files.writeString(hosts, "127.0.0.1 localhost " + service + "\n");
    List<String> command = new ArrayList<>();
    command.addAll(List.of("bwrap", "--die-with-parent", "--unshare-user"));
    command.addAll(
        List.of("--uid", text(rights, "runAsUser"), "--gid", text(rights, "runAsGroup")));
    for (String place : List.of("/usr", "/lib", "/lib64", System.getProperty("java.home"))) {
      command.addAll(List.of("--ro-bind-try", place, place));
    }
    // Where Debian keeps the settings of its JDK.
    for (String place : List.of("/etc/java-17-openjdk", "/etc/ssl", "/etc/nsswitch.conf")) {
      command.addAll(List.of("--ro-bind-try", place, place));
    }
    command.addAll(List.of("--ro-bind", hosts.toString(), "/etc/hosts"));
    command.addAll(List.of("--proc", "/proc", "--dev", "/dev"));
    command.addAll(List.of("--ro-bind", image.root().resolve("app").toString(), "/app"));
    command.addAll(volumes(deployment, secrets, directory));
    command.addAll(List.of("--remount-ro", "/", "--chdir", text(image.config(), "WorkingDir")));
    command.addAll(image.texts("Entrypoint"));
    command.set(
        command.indexOf("java"),
        Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (container.has("args")) {
      container.getAsJsonArray("args").forEach(argument -> command.add(argument.getAsString()));
    }
    ProcessBuilder process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile());
    process.environment().clear();
    process.environment().putAll(environment(image, container));
    return new Pod(process.start(), deployment, directory);
  }

  private static Map<String, String> environment(Image image, JsonObject container) {
    Map<String, String> environment = new HashMap<>();
    for (String variable : image.texts("Env")) {
      String[] parts = variable.split("=", 2);
      environment.put(parts[0], parts[1]);
    }
    each(at(container, "env"))
        .forEach(variable -> environment.put(text(variable, "name"), text(variable, "value")));
    environment.put("PATH", "/usr/bin");
    return environment;
  }

  private static List<String> volumes(
      JsonObject deployment, Map<String, String> secrets, Path directory) throws IOException {
    List<String> binds = new ArrayList<>();
    for (JsonObject mount : each(at(Chart.containerOf(deployment), "volumeMounts")).toList()) {
      String name = text(mount, "name");
      Path content = Files.createDirectories(contentOf(name, directory));
      fill(content, filesOf(volume(deployment, name), secrets));
      String bind = mount.has("readOnly") ? "--ro-bind" : "--bind";
      binds.addAll(List.of(bind, content.toString(), text(mount, "mountPath")));
    }
    return binds;
  }

  private static Path contentOf(String volume, Path directory) {
    return directory.resolve("volumes").resolve(volume);
  }

  private static JsonObject volume(JsonObject deployment, String name) {
    return each(at(deployment, "spec.template.spec.volumes"))
        .filter(volume -> text(volume, "name").equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** What a volume has of the Secrets, by the names of its files. */
  private static Map<String, String> filesOf(JsonObject volume, Map<String, String> secrets) {
    Map<String, String> files = new HashMap<>();
    if (volume.has("projected")) {
      each(at(volume, "projected.sources"))
          .map(source -> at(source, "secret").getAsJsonObject())
          .forEach(
              secret ->
                  each(at(secret, "items"))
                      .forEach(
                          item ->
                              files.put(
                                  text(item, "path"),
                                  secrets.get(text(secret, "name") + "/" + text(item, "key")))));
    } else if (volume.has("secret")) {
      String secret = text(volume, "secret.secretName") + "/";
      secrets.forEach(
          (key, value) -> {
            if (key.startsWith(secret)) {
              files.put(key.substring(secret.length()), value);
            }
          });
    }
    return files;
  }

  /** As the kubelet does it: all files of a volume change at once, by a link to their directory. */
  private static void fill(Path volume, Map<String, String> files) throws IOException {
    if (files.isEmpty()) {
      return;
    }
    Path version = Files.createTempDirectory(volume, "..");
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path written = Files.writeString(version.resolve(file.getKey()), file.getValue());
      // What the kubelet makes of 0400 where there is an fsGroup.
      Files.setPosixFilePermissions(written, PosixFilePermissions.fromString("r--r-----"));
      Path shown = volume.resolve(file.getKey());
      if (!Files.exists(shown, LinkOption.NOFOLLOW_LINKS)) {
        Files.createSymbolicLink(shown, Path.of("..data", file.getKey()));
      }
    }
    Path link = Files.createSymbolicLink(volume.resolve("..new"), version.getFileName());
    Files.move(link, volume.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Gives a volume the values that its Secrets have now. */
  void refresh(String volume, Map<String, String> secrets) throws IOException {
    fill(contentOf(volume, directory), filesOf(volume(deployment, volume), secrets));
  }

  /**
   * @throws AssertionError with the end of its log if it has ended
   */
  void requireAlive() throws IOException {
    if (!sandbox.isAlive()) {
      throw new AssertionError("it ended with " + sandbox.exitValue() + "\n" + log());
    }
  }

  String log() throws IOException {
    return Files.readString(directory.resolve("log"));
  }

  /** SIGTERM to the program, as the kubelet sends it; returns its exit code. */
  int stop(Duration patience) throws IOException, InterruptedException {
    sandbox.descendants().forEach(ProcessHandle::destroy);
    if (!sandbox.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("it does not end\n" + log());
    }
    return sandbox.exitValue();
  }

  @Override
  public void close() {
    sandbox.destroyForcibly().onExit().join();
  }
}
