/**
 * Styles, scripts and icons. Their address has a hash of them all, so browsers keep them for good.
 */
package io.asyncflow.console.asset;
