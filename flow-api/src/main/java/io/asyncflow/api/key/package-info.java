/** Access keys: what they are for the client that keeps them. */
package io.asyncflow.api.key;
