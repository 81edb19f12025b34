/** How a refusal looks on the wire, and which failure becomes which refusal. */
package io.asyncflow.flowsvr.web.error;
