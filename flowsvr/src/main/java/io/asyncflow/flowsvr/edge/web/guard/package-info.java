/** The pace and the size of bodies. */
package io.asyncflow.flowsvr.edge.web.guard;
