package io.asyncflow.flowsvr.operate.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.TaskAct;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.PostMapping;

class OperatorControllerTest {

  @Test
  void callOfEachActNeedsTheVerbThatABulkOfItNeeds() {
    Map<String, Verb[]> verbs = new HashMap<>();
    ReflectionUtils.doWithMethods(
        OperatorController.class,
        method -> {
          for (String path : method.getAnnotation(PostMapping.class).value()) {
            verbs.put("/api/task" + path, method.getAnnotation(Needs.class).value());
          }
        },
        method -> AnnotationUtils.findAnnotation(method, PostMapping.class) != null);
    for (TaskAct act : TaskAct.values()) {
      assertThat(verbs.get(act.path())).as(act.path()).containsExactly(Verb.valueOf(act.verb()));
    }
  }
}
