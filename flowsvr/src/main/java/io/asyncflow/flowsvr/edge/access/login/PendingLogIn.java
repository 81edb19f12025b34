package io.asyncflow.flowsvr.edge.access.login;

import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.openid.connect.sdk.Nonce;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * What a browser keeps between the log-in's begin and its end.
 *
 * @param state what the issuer sends back with the browser
 * @param nonce what the issuer's token repeats
 * @param verifier what whoever brings the code must know
 * @param to the page that was asked for
 * @param endsAt until when the log-in can be finished, epoch ms
 */
record PendingLogIn(String state, String nonce, String verifier, String to, long endsAt) {

  static PendingLogIn begin(String to, long endsAt) {
    return new PendingLogIn(
        new State().getValue(), new Nonce().getValue(), new CodeVerifier().getValue(), to, endsAt);
  }

  boolean isState(State sent) {
    return sent != null
        && MessageDigest.isEqual(
            state.getBytes(StandardCharsets.UTF_8),
            sent.getValue().getBytes(StandardCharsets.UTF_8));
  }

  /** Without what nobody else may know. */
  @Override
  public String toString() {
    return "PendingLogIn[to=" + to + "]";
  }
}
