/** TLS of the server's connections: certificate, key, and the certificates of clients. */
package io.asyncflow.flowsvr.edge.web.tls;
