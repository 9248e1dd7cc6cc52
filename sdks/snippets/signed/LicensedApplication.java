package com.example;

import io.countersign.spring.RequireLicense;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class LicensedApplication {
  public static void main(String[] arguments) {
    // The secrets are in the environment variables COUNTERSIGN_API_KEY and COUNTERSIGN_SIGNING_SECRETS.
    new SpringApplicationBuilder(LicensedApplication.class)
        .properties(
            "countersign.base-url=https://license.example.com",
            "countersign.signing.product-id=PRODUCT-ID",
            "countersign.version=1.0.0")
        .run(arguments);
  }

  // The key is in the X-License-Key header of each request.
  @GetMapping("/reports")
  @RequireLicense
  public String reports() {
    return "Licensed.";
  }
}
