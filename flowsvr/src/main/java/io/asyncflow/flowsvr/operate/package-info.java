/**
 * What people see and do: acts on one task ({@code operator}) and on all that match ({@code bulk}),
 * finding tasks ({@code search}), why one does not run ({@code why}), numbers ({@code stats}), and
 * what a server watches by itself ({@code governance}).
 *
 * <p>Nothing below needs it. It reads over connections of its own, and each call reads a bounded
 * number of rows.
 */
package io.asyncflow.flowsvr.operate;
