package io.asyncflow.console.page.kitchen;

import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Pages;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** Shows all parts. It makes no call, and its forms lead nowhere. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/_kitchen")
public class KitchenController {

  private final Pages pages;

  public KitchenController(Pages pages) {
    this.pages = pages;
  }

  @GetMapping
  public ResponseEntity<byte[]> show(Frame frame) {
    return pages.show(frame, "kitchen", frame);
  }
}
