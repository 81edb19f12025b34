/** Who is logged in, preferences, help, and the way from an id to its page. */
package io.asyncflow.console.page.account;
