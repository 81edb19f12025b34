package io.asyncflow.flowsvr.access.key;

import io.asyncflow.flowsvr.system.BadSettingException;
import io.asyncflow.rules.access.KeySeals;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration
class KeyConfiguration {

  @Bean
  KeySeals keySeals(@Value("${flow.access.pepper:}") String pepper) {
    try {
      return KeySeals.of(pepper);
    } catch (IllegalArgumentException e) {
      throw new BadSettingException("FLOW_KEY_PEPPER must be " + e.getMessage() + ".");
    }
  }
}
