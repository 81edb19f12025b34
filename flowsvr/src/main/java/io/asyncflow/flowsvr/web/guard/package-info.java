/** Admission of requests: keys, hosts, origins, plain paths, the pace of bodies. */
package io.asyncflow.flowsvr.web.guard;
