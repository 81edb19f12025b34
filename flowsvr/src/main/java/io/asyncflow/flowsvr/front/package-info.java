/**
 * What is put before the API: the pages of the console, which make its calls from within the
 * process ({@code console}), and the paths and names of old clients ({@code compat}).
 */
package io.asyncflow.flowsvr.front;
