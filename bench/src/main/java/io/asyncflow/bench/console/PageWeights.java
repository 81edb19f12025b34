package io.asyncflow.bench.console;

import io.asyncflow.bench.contest.Contender;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/** The bytes of each page's HTML, compressed as a proxy does it. */
public final class PageWeights implements Contender<Map<String, Integer>> {

  private final Sights sights;

  public PageWeights(Sights sights) {
    this.sights = sights;
  }

  @Override
  public String name() {
    return "pages, " + sights.name();
  }

  @Override
  public Map<String, Integer> run(int once) throws Exception {
    HttpClient http = HttpClient.newHttpClient();
    Map<String, Integer> weights = new LinkedHashMap<>();
    for (String address : sights.pages()) {
      HttpResponse<byte[]> page =
          http.send(sights.pageOf(address).build(), BodyHandlers.ofByteArray());
      if (page.statusCode() != 200) {
        throw new IllegalStateException(page.uri() + " was answered with " + page.statusCode());
      }
      weights.put(Sights.title(address), compressed(page.body()));
    }
    return weights;
  }

  private static int compressed(byte[] html) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(html);
    }
    return bytes.size();
  }
}
