package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asyncflow.flowsvr.RunningServer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** A running server says of which libraries it is made; SbomIT of system-test looks at the list. */
@RunningServer
class LibrariesIT {

  @LocalServerPort int port;

  @Test
  void serverListsItsLibrariesWithTheirLicences() {
    assumeTrue(
        getClass().getResource("/META-INF/sbom/application.cdx.json") != null,
        "Maven makes the list only without -o");
    Wire wire = new Wire(port);

    JsonNode sbom = wire.get("/actuator/sbom/application").body();

    assertThat(wire.get("/actuator/sbom").body().path("ids").path(0).asString())
        .isEqualTo("application");
    assertThat(sbom.path("bomFormat").asString()).isEqualTo("CycloneDX");
    assertThat(sbom.path("components"))
        .anySatisfy(
            library -> {
              assertThat(library.path("name").asString()).isEqualTo("tomcat-embed-core");
              assertThat(library.at("/licenses/0/license/id").asString()).isEqualTo("Apache-2.0");
            });
  }
}
