/**
 * A codec that seals with AES-256, so that flowsvr, its database and its store keep what only
 * applications and workers can read. Built on Tink.
 *
 * <p>{@link io.asyncflow.seal.TinkCodec} seals and opens; {@link io.asyncflow.seal.SealKeys} is the
 * file with its keys. What is sealed is bound to its kind, its type and its user, or the key of the
 * object, and cannot be opened elsewhere.
 */
package io.asyncflow.seal;
