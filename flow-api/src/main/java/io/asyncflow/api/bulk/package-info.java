/** Acts on all tasks that match a search. */
package io.asyncflow.api.bulk;
