/** From which web pages requests come, and the guard of servers without keys against them. */
package io.asyncflow.flowsvr.edge.access.site;
