package io.asyncflow.systemtest.kubernetes;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * An image as the build wrote it, unpacked.
 *
 * @param root what its layers make together
 * @param config what the image says of its process
 * @param layers the files of each layer, from the bottom up, by their paths in the image
 */
record Image(Path root, JsonObject config, List<List<String>> layers) {

  /** Unpacks the image of a module, {@code target/image.tar}. */
  static Image of(String module, Path directory) throws IOException, InterruptedException {
    Path archive = Chart.HOME.resolve(module).resolve("target").resolve("image.tar");
    if (!Files.exists(archive)) {
      throw new IllegalStateException(
          "There is no " + archive + ": build the module, too, with -Pfaults.");
    }
    Path unpacked = Files.createDirectories(directory.resolve("archive"));
    tar("-xf", archive.toString(), "-C", unpacked.toString());
    JsonObject manifest =
        read(unpacked.resolve("manifest.json")).getAsJsonArray().get(0).getAsJsonObject();
    Path root = Files.createDirectories(directory.resolve("root"));
    List<List<String>> layers = new ArrayList<>();
    for (JsonElement layer : manifest.getAsJsonArray("Layers")) {
      Path packed = unpacked.resolve(layer.getAsString());
      tar("-xzf", packed.toString(), "-C", root.toString());
      layers.add(
          tar("-tzf", packed.toString()).lines().filter(path -> !path.endsWith("/")).toList());
    }
    JsonObject config =
        read(unpacked.resolve(manifest.get("Config").getAsString()))
            .getAsJsonObject()
            .getAsJsonObject("config");
    return new Image(root, config, layers);
  }

  List<String> texts(String member) {
    return StreamSupport.stream(config.getAsJsonArray(member).spliterator(), false)
        .map(JsonElement::getAsString)
        .toList();
  }

  /** The jars below a directory, by their names. */
  Stream<String> jarsIn(String directory) throws IOException {
    try (Stream<Path> files = Files.list(root.resolve(directory))) {
      return files.map(file -> file.getFileName().toString()).toList().stream();
    }
  }

  private static JsonElement read(Path file) throws IOException {
    return JsonParser.parseString(Files.readString(file));
  }

  private static String tar(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("tar", "--warning=no-unknown-keyword"));
    command.addAll(List.of(arguments));
    Process tar =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String output = new String(tar.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (tar.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + " failed");
    }
    return output;
  }
}
