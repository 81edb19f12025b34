/** Removes the objects to which no task refers any more. */
package io.asyncflow.flowsvr.compose.store.upkeep;
