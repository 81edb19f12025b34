/** Who may come in, and with what: keys, hosts, origins, plain paths, the pace of a body. */
package io.asyncflow.flowsvr.web.guard;
