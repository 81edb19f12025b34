/** What Prometheus reads of a server, and what dashboards, alerts and documents say of it. */
package io.asyncflow.flowsvr.metric;
