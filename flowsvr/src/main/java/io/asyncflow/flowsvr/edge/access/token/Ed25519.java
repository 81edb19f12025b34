package io.asyncflow.flowsvr.edge.access.token;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.crypto.factories.DefaultJWSVerifierFactory;
import com.nimbusds.jose.crypto.impl.BaseJWSProvider;
import com.nimbusds.jose.crypto.impl.CriticalHeaderParamsDeferral;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.Base64URL;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Signatures by Ed25519, with the JDK's own algorithm: Nimbus finds the keys and reads the token,
 * but would want Tink for the signature alone.
 */
final class Ed25519 {

  /** The name since RFC 9864, and the one before, which may mean another curve, too. */
  static final Set<JWSAlgorithm> ALGORITHMS = Set.of(JWSAlgorithm.Ed25519, JWSAlgorithm.EdDSA);

  private static final String NAME = "Ed25519";
  private static final int KEY_BYTES = 32;

  /** What stands before the bytes of a public key in X.509 (RFC 8410). */
  private static final byte[] X509 = HexFormat.of().parseHex("302a300506032b6570032100");

  private Ed25519() {}

  /** Finds the keys of these algorithms and of Ed25519. */
  static final class Keys extends JWSVerificationKeySelector<SecurityContext> {

    Keys(Set<JWSAlgorithm> algorithms, JWKSource<SecurityContext> source) {
      super(algorithms, source);
    }

    @Override
    public List<Key> selectJWSKeys(JWSHeader header, SecurityContext context)
        throws KeySourceException {
      if (!ALGORITHMS.contains(header.getAlgorithm())) {
        return super.selectJWSKeys(header, context);
      }
      List<Key> keys = new ArrayList<>();
      for (JWK key : getJWKSource().get(new JWKSelector(createJWKMatcher(header)), context)) {
        if (key instanceof OctetKeyPair pair && pair.getCurve().equals(Curve.Ed25519)) {
          publicKey(pair.getDecodedX()).ifPresent(keys::add);
        }
      }
      return keys;
    }

    /** What is no key is left out, as Nimbus does. */
    private static Optional<Key> publicKey(byte[] x) {
      if (x.length != KEY_BYTES) {
        return Optional.empty();
      }
      byte[] encoded = Arrays.copyOf(X509, X509.length + KEY_BYTES);
      System.arraycopy(x, 0, encoded, X509.length, KEY_BYTES);
      try {
        return Optional.of(
            KeyFactory.getInstance(NAME).generatePublic(new X509EncodedKeySpec(encoded)));
      } catch (GeneralSecurityException e) {
        return Optional.empty();
      }
    }
  }

  /** Makes the verifiers of all algorithms. */
  static final class Verifiers extends DefaultJWSVerifierFactory {

    @Override
    public JWSVerifier createJWSVerifier(JWSHeader header, Key key) throws JOSEException {
      return key instanceof EdECPublicKey edwards
          ? new Verifier(edwards)
          : super.createJWSVerifier(header, key);
    }
  }

  private static final class Verifier extends BaseJWSProvider implements JWSVerifier {

    private final CriticalHeaderParamsDeferral critical = new CriticalHeaderParamsDeferral();
    private final PublicKey key;

    Verifier(PublicKey key) {
      super(ALGORITHMS);
      this.key = key;
    }

    @Override
    public boolean verify(JWSHeader header, byte[] signed, Base64URL signature)
        throws JOSEException {
      if (!ALGORITHMS.contains(header.getAlgorithm()) || !critical.headerPasses(header)) {
        return false;
      }
      try {
        Signature verifier = Signature.getInstance(NAME);
        verifier.initVerify(key);
        verifier.update(signed);
        return verifier.verify(signature.decode());
      } catch (GeneralSecurityException e) { // also of bytes that are no signature
        return false;
      }
    }
  }
}
