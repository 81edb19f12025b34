package io.asyncflow.console.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.text.Language;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;

class AuditPageTest {

  private final SamplePages pages = new SamplePages(new SampleApi());

  private Element row(Language language) throws Exception {
    return Jsoup.parse(pages.html("/audit", language)).selectFirst("#rows tr:has(a[title^=bulk:])");
  }

  @Test
  void bulkIsALinkToItsPageAndIsNamedInWords() throws Exception {
    Element row = row(Language.EN);
    assertThat(row.select("a").eachAttr("href")).contains("/console/bulk/" + SampleApi.BULK);
    assertThat(row.select("th").text()).isEqualTo("Start a bulk");
    assertThat(row.select("th").attr("title")).as("for the filter").isEqualTo("START_BULK");
    assertThat(row.select("td").last().text()).isEqualTo("Request 10.1.2.3");

    assertThat(row(Language.ZH).select("th").text()).isEqualTo("开始批量操作");
    assertThat(row(Language.ZH).select("td").last().text()).startsWith("请求");
  }
}
