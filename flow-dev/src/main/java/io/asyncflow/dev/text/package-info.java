/** What a server keeps, as text for a terminal. */
package io.asyncflow.dev.text;
