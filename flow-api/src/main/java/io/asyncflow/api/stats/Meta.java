package io.asyncflow.api.stats;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;

/**
 * The server that answered, and the caller as it sees it.
 *
 * @param version {@code null} if unknown
 * @param node its id, new for every start
 * @param now epoch ms, by the database's clock
 * @param features what this server has been set up with: {@code redis}, {@code s3}, {@code
 *     estimates}
 * @param principal names the caller, such as {@code key:3Qm81LtzGh}
 * @param roles of the caller
 * @param limits the most of something in one call: {@code listPage}, {@code batch}, {@code
 *     seriesPoints}, and {@code historyMs}
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Meta(
    String version,
    String node,
    long now,
    Map<String, Boolean> features,
    String principal,
    List<String> roles,
    Map<String, Long> limits) {}
