package io.asyncflow.api.key;

/**
 * A caller that is refused although the issuer's tokens for it are good.
 *
 * @param principal {@code oidc:{iss}#{sub}}
 * @param untilTime epoch ms
 */
public record DeniedCaller(String principal, Long untilTime) {}
