/** Acts on all tasks of a search. */
package io.asyncflow.console.page.bulk;
