package com.example.reports;

import io.countersign.Countersign;
import io.countersign.WebhookEvent;
import io.countersign.spring.CountersignWebhook;
import io.countersign.spring.License;
import io.countersign.spring.LicenseRefusalHandler;
import io.countersign.spring.SkipLicense;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** A service that requires a license everywhere, links to the customer portal, and receives webhooks. */
@SpringBootApplication
@RestController
public class ReportService {
  private static final Set<String> SOLVED_IN_PORTAL = Set.of("ip_limit_reached", "ip_not_registered", "expired");

  private final Countersign countersign;
  private final Set<String> processed = ConcurrentHashMap.newKeySet();

  public ReportService(Countersign countersign) {
    this.countersign = countersign;
  }

  public static void main(String[] arguments) {
    SpringApplication service = new SpringApplication(ReportService.class);
    service.setDefaultProperties(Map.of("countersign.required", "true", "countersign.version", "1.0.0"));
    service.run(arguments);
  }

  @GetMapping("/reports")
  public Map<String, Object> reports(License license) {
    return Map.of("reports", new String[] {"January", "February"}, "status", license.result().orElseThrow().status());
  }

  @GetMapping("/")
  @SkipLicense
  public String home() {
    return "Send your license key in the X-License-Key header to /reports.\n";
  }

  /** The same event can be delivered more than once. */
  @PostMapping("/countersign")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  public void receive(@CountersignWebhook WebhookEvent event) {
    // A cached license would otherwise stay valid for up to five minutes.
    if (processed.add(event.id()) && event.type().startsWith("license.")) countersign.forget();
  }

  /** The URL contains the license key, so it is only for the caller who sent that key. */
  @Bean
  static LicenseRefusalHandler refusals(Countersign countersign) {
    return (refusal, request, response) -> {
      String link = "";
      if (SOLVED_IN_PORTAL.contains(refusal.code()))
        link = "You can solve this yourself: " + countersign.portalUrl(refusal.license().key().orElseThrow()) + "\n";
      response.setStatus(refusal.status());
      refusal.retryAfterSeconds().ifPresent(seconds -> response.setHeader("Retry-After", seconds.toString()));
      response.setContentType("text/plain");
      response.getWriter().print(refusal.message() + "\n" + link);
    };
  }
}
