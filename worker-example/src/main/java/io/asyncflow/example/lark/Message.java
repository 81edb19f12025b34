package io.asyncflow.example.lark;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * The context of a {@code lark} task, as its creator writes it: {@code {"ReqBody":"hello",
 * "fromAddr":"fish","toAddr":"bird"}}.
 *
 * @param body the text
 * @param fromAddr the sender
 * @param toAddr the recipient
 */
record Message(@JsonProperty("ReqBody") String body, String fromAddr, String toAddr) {}
