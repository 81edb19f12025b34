/** The record of acts, as far as a server and a verifier beside it must agree. */
package io.asyncflow.rules.act;
