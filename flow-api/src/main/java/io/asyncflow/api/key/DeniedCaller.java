package io.asyncflow.api.key;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A caller that is refused although the issuer's tokens for it are good.
 *
 * @param principal {@code oidc:{iss}#{sub}}
 * @param untilTime epoch ms; {@code null} if SQL has changed its row, so that it is refused until
 *     it is denied or let in again
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DeniedCaller(String principal, Long untilTime) {}
