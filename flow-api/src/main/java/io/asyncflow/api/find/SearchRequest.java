package io.asyncflow.api.find;

/**
 * A search for tasks.
 *
 * @param q words such as {@code type:tts status:failed age<1h}; {@code null} for all tasks
 * @param order {@code null} for the one that suits the words
 * @param limit the most tasks of a page, 1 to 200; {@code null} for 100
 * @param cursor the last page's {@link FoundTasks#nextCursor()}; {@code null} for the first page
 */
public record SearchRequest(String q, SearchOrder order, Integer limit, String cursor) {

  public static SearchRequest of(String q) {
    return new SearchRequest(q, null, null, null);
  }
}
