package io.asyncflow.console.page.kitchen;

import io.asyncflow.console.frame.Visit;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** Shows all parts. It makes no call, and its forms lead nowhere. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/_kitchen")
public class KitchenController {

  @GetMapping
  public ResponseEntity<byte[]> show(Visit visit) {
    return visit.show("kitchen", visit.frame());
  }
}
