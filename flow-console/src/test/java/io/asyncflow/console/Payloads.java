package io.asyncflow.console;

import java.util.ArrayList;
import java.util.List;

/** Texts with which strangers try to be more than texts. */
public final class Payloads {

  private Payloads() {}

  /** Forty of them. */
  public static List<String> all() {
    List<String> all =
        new ArrayList<>(
            List.of(
                "<script>window.pwned=1</script>",
                "</script><script>window.pwned=1</script>",
                "<img src=x onerror=window.pwned=1>",
                "<svg onload=window.pwned=1>",
                "<svg><script>window.pwned=1</script></svg>",
                "\"><script>window.pwned=1</script>",
                "'><img src=x onerror=window.pwned=1>",
                "\" onmouseover=\"window.pwned=1",
                "' onfocus='window.pwned=1' autofocus='",
                "` onclick=window.pwned=1 `",
                "</title><script>window.pwned=1</script>",
                "</textarea><script>window.pwned=1</script>",
                "</time><b>bold</b>",
                "--><script>window.pwned=1</script>",
                "]]><script>window.pwned=1</script>",
                "javascript:window.pwned=1",
                "JaVaScRiPt:window.pwned=1",
                "data:text/html,<script>window.pwned=1</script>",
                "//evil.example/x",
                "https://evil.example/?a=1&b=2",
                "${7*7}",
                "#{7*7}",
                "{{7*7}}",
                "<%= 7*7 %>",
                "@if(true)x@endif",
                "*{7*7}",
                "}</style><style>body{display:none}",
                "expression(alert(1))",
                "\u202Egnp.exe",
                "a\u200Bb\u2066c\u2069",
                "\u0000\u0001\u001B[31m",
                "\u2028\u2029line",
                "z\u0361\u0362\u0363\u0364\u0365\u0366\u0367\u0368a\u0361\u0362\u0363",
                "\uD83D\uDC69\u200D\uD83D\uDC69\u200D\uD83D\uDC67",
                "\uD842\uDFB7\u91CE\u5BB6",
                "x".repeat(128),
                "__proto__",
                "9223372036854775807",
                "{\"a\":".repeat(32) + "1" + "}".repeat(32),
                "<bdo dir=rtl>txet</bdo>"));
    return all;
  }
}
