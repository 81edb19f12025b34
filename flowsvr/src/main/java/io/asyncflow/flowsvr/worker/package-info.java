/** Which workers there are, as operators see them. */
package io.asyncflow.flowsvr.worker;
