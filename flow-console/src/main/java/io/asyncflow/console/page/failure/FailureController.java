package io.asyncflow.console.page.failure;

import io.asyncflow.console.frame.Calls;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.page.Form;
import io.asyncflow.console.page.TypeNames;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** What failed, of all types. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/failures")
public class FailureController {

  private final Pages pages;
  private final Calls calls;

  public FailureController(Pages pages, Calls calls) {
    this.pages = pages;
    this.calls = calls;
  }

  @GetMapping
  public ResponseEntity<byte[]> list(
      Frame frame, @RequestParam Map<String, String> fields, HttpServletRequest request) {
    Form form = new Form(fields);
    TypeNames types = TypeNames.read(calls, request);
    return pages.show(
        frame,
        "failures",
        Failures.read(calls, frame, Failures.Filter.of(form), form.text("cursor"), types));
  }
}
