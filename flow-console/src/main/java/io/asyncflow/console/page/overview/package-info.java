/** The first page: whether all is well, and where it is not. */
package io.asyncflow.console.page.overview;
