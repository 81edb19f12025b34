package io.asyncflow.console.page.failure;

import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.page.TypeNames;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** What failed, of all types. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/failures")
public class FailureController {

  @GetMapping
  public ResponseEntity<byte[]> list(Visit visit) {
    TypeNames types = TypeNames.read(visit);
    return visit.show("failures", Failures.read(visit, Failures.Filter.of(visit.form()), types));
  }
}
