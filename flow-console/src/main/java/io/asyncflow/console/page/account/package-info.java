/** Who is logged in, preferences, help, and the way to the first page. */
package io.asyncflow.console.page.account;
