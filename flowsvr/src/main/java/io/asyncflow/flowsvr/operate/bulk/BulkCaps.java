package io.asyncflow.flowsvr.operate.bulk;

import io.asyncflow.flowsvr.base.system.BadSettingException;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Role;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** On how many tasks one bulk may act. */
@Component
public class BulkCaps {

  private static final int MOST = 10_000_000;

  private final int ofOperator;

  BulkCaps(@Value("${flow.bulk.operator-cap:10000}") int ofOperator) {
    if (ofOperator < 1 || ofOperator > MOST) {
      throw new BadSettingException("flow.bulk.operator-cap must be from 1 to " + MOST + ".");
    }
    this.ofOperator = ofOperator;
  }

  public int of(Caller caller) {
    return caller.roles().contains(Role.ADMIN) ? MOST : ofOperator;
  }
}
