/** The servers, their duties, and the record of acts. */
package io.asyncflow.console.page.cluster;
