package io.asyncflow.console.frame;

import io.asyncflow.console.chart.Chart;
import io.asyncflow.console.text.Amounts;
import io.asyncflow.console.text.Times;
import io.asyncflow.console.text.Words;
import java.time.ZoneOffset;

/**
 * What every template needs of the request. Immutable.
 *
 * @param address that opens the page again, with its query
 * @param done the key of the act that was done just now; empty for none
 */
public record Frame(
    Urls urls,
    Words words,
    Preferences preferences,
    Operator operator,
    ConsoleProperties properties,
    String address,
    String done) {

  /** The frame of a page that answers a form, and that another address opens. */
  public Frame openedBy(String another) {
    String address = urls.bounded(another);
    return new Frame(urls, words, preferences, operator, properties, address, done);
  }

  /** The words with this key. */
  public String t(String key, Object... arguments) {
    return words.get(key, arguments);
  }

  /** The word for a name in a group of words, such as {@code worker.state.}; else the name. */
  public String word(String group, String name) {
    return words.nameOf(group, name);
  }

  /** The address of a page. */
  public String to(String path, Object... query) {
    return urls.to(path, query);
  }

  /** A call of the API in a terminal, with the variables that the command line reads. */
  public String curl(String path) {
    String key =
        operator.kind().equals("LOCAL") ? "" : "-H \"Authorization: Bearer $FLOW_API_KEY\" ";
    return "curl -s " + key + "\"$FLOW_URL" + path + '"';
  }

  public Times times() {
    return preferences.zonedTimes();
  }

  public Amounts amounts() {
    return new Amounts(words);
  }

  public boolean may(String verb) {
    return operator.may(verb);
  }

  public String number(Number number) {
    return number == null ? "–" : words.number(number);
  }

  /** A value of a chart; {@code –} for one that is not known. */
  public String amount(Chart chart, Long value) {
    return value == null || !chart.isOfDurations() ? number(value) : amounts().duration(value);
  }

  /** A number at the axis of a chart, where there is little room. */
  public String axis(Chart chart, long value) {
    return chart.isOfDurations() ? amounts().duration(value) : amounts().brief(value);
  }

  /** The name of the time zone in which the server writes times. */
  public String zoneName() {
    return times().zone().equals(ZoneOffset.UTC) ? "UTC" : times().zone().getId();
  }
}
