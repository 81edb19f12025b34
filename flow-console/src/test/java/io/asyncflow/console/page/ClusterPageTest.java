package io.asyncflow.console.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.console.JsonOperator;
import io.asyncflow.console.OperatorClient;
import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.text.Language;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class ClusterPageTest {

  private final SampleApi api = new SampleApi();

  private static Document page(OperatorClient api) throws Exception {
    return Jsoup.parse(new SamplePages(api).html("/cluster", Language.EN));
  }

  @Test
  void storeSaysHowMuchRoomItHas() throws Exception {
    assertThat(page(api).select("#store").text())
        .contains("/var/lib/asyncflow", "40 GB of 100 GB", "1.0 GB")
        .contains("Free");

    api.withBucket(true);
    assertThat(page(api).select("#store").text())
        .contains("objects/of-asyncflow")
        .doesNotContain("GB");
  }

  @Test
  void storeThatDoesNotAnswerLeavesTheRestOfThePage() throws Exception {
    Document page = page(new WithoutStore());

    assertThat(page.select("#nodes tr")).hasSize(2);
    assertThat(page.select("#store").text())
        .isEqualTo("This cannot be told at the moment. The next look may have it.");
  }

  private final class WithoutStore extends JsonOperator {

    @Override
    public JsonNode call(String path, Map<String, ?> fields) {
      if (path.startsWith("/api/store/")) {
        throw new FlowException(ErrorCode.UNAVAILABLE, "the disk is away");
      }
      return api.call(path, fields);
    }

    @Override
    public void read(StoreKey key, HttpServletResponse to) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void readInput(String jobId, HttpServletResponse to) {
      throw new UnsupportedOperationException();
    }
  }
}
