/** Workers as operators see them on the wire, and the calls about them. */
package io.asyncflow.api.worker;
