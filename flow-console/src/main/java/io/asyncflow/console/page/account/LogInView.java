package io.asyncflow.console.page.account;

/**
 * What the page to log in shows.
 *
 * @param to the address of the page that was asked for
 * @param refusal empty before a try
 * @param hasIssuer whether operators can log in at an issuer, too
 */
public record LogInView(String to, String refusal, boolean hasIssuer) {}
