package io.asyncflow.console.page;

import io.asyncflow.api.Call;
import io.asyncflow.console.frame.Visit;
import java.util.ArrayList;
import java.util.List;

/**
 * A list that is shown a page at a time.
 *
 * @param path of its page
 * @param filters the fields of its address, such as {@code state}; {@code type=taskType} for one
 *     that the call names otherwise, and {@code from=} for one that it does not take as it is
 */
public record Listing(String path, String... filters) {

  private static final int PAGE = 100;

  /** The call with what the address says. */
  public <T> Call<T> page(Visit visit, Call<T> call) {
    Call<T> page = call.with("limit", PAGE).with("cursor", visit.form().given("cursor"));
    for (String filter : filters) {
      String[] names = filter.split("=", 2);
      String field = names[names.length - 1];
      page = field.isEmpty() ? page : page.with(field, visit.form().given(names[0]));
    }
    return page;
  }

  /**
   * The address of the next page; {@code null} on the last.
   *
   * @param cursor {@code null} on the last
   */
  public String next(Visit visit, String cursor) {
    if (cursor == null) {
      return null;
    }
    List<Object> query = new ArrayList<>();
    for (String filter : filters) {
      String name = filter.split("=")[0];
      query.add(name);
      query.add(visit.text(name));
    }
    query.add("cursor");
    query.add(cursor);
    return visit.to(path, query.toArray());
  }
}
