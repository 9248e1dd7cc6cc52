package io.countersign.spring;

import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.countersign.Countersign;
import io.countersign.CountersignBuilder;
import io.countersign.WebhookEvent;
import io.countersign.ValidateResult;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.helpers.NOPLogger;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;

/** Controllers with the parts of the starter, without a server. */
final class LicensedApp {
  static final String SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";

  final Controller controller = new Controller();
  private final MockMvc mvc;

  /** What a test changes. */
  static final class Setup {
    Map<String, String> properties = Map.of();
    LicenseRequestReader reader = new LicenseRequestReader() {};
    LicenseRefusalHandler refusals = new CountersignWebAutoConfiguration().licenseRefusalHandler();
    Logger logger = NOPLogger.NOP_LOGGER;
    /** Time stands still, so that no token becomes free on a slow machine. */
    LongSupplier nanos = () -> 0;
    java.util.function.UnaryOperator<CountersignBuilder> client = builder -> builder;

    LicensedApp against(String url) {
      return new LicensedApp(url, this);
    }
  }

  private LicensedApp(String url, Setup setup) {
    CountersignProperties properties = propertiesOf(setup.properties);
    Countersign client = setup.client.apply(Countersign.builder().apiKey("csk_test").baseUrl(url)).build();
    LicenseDecider licenses =
        new LicenseDecider(client, setup.reader, properties.unknownKeysPerMinute(), setup.logger, setup.nanos);
    mvc =
        MockMvcBuilders.standaloneSetup(controller, new LicensedController(), new DerivedController())
            .addInterceptors(new LicenseInterceptor(licenses, setup.refusals, properties))
            .setCustomArgumentResolvers(
                new LicenseArgumentResolver(licenses), new WebhookArgumentResolver(properties.webhookSecret()))
            .setHandlerExceptionResolvers(new WebhookRefusedResolver())
            .build();
  }

  static LicensedApp against(PlayedCountersign server) {
    return new Setup().against(server.url());
  }

  static CountersignProperties propertiesOf(Map<String, String> properties) {
    return new Binder(new MapConfigurationPropertySource(properties))
        .bindOrCreate("countersign", CountersignProperties.class);
  }

  MockHttpServletResponse send(String key) {
    return send(key, "192.0.2.1");
  }

  MockHttpServletResponse send(String key, String address) {
    MockHttpServletRequestBuilder request = get("/reports");
    if (key != null) request.header("X-License-Key", key);
    return send(request, address);
  }

  MockHttpServletResponse send(MockHttpServletRequestBuilder request, String address) {
    try {
      return mvc.perform(
              request.with(
                  sent -> {
                    sent.setRemoteAddr(address);
                    return sent;
                  }))
          .andReturn()
          .getResponse();
    } catch (RuntimeException failure) {
      throw failure;
    } catch (Exception failure) {
      throw new IllegalStateException(failure);
    }
  }

  @RestController
  static class Controller {
    final List<WebhookEvent> events = new CopyOnWriteArrayList<>();

    @GetMapping("/reports")
    @RequireLicense
    String reports(License license) {
      return license.key().orElseThrow() + " " + license.result().map(ValidateResult::source).orElse(null);
    }

    @GetMapping("/versioned")
    @RequireLicense(version = "2.0.0")
    String versioned() {
      return "in";
    }

    @GetMapping("/plain")
    String plain(License license) {
      return "allowed: " + license.allowed();
    }

    @GetMapping("/open")
    String open() {
      return "in";
    }

    @PostMapping("/hook")
    void hook(@CountersignWebhook WebhookEvent event) {
      if (event.type().equals("fails")) throw new IllegalStateException("the database is unavailable");
      events.add(event);
    }
  }

  @RestController
  @RequireLicense
  static class LicensedController {
    @GetMapping("/class")
    String licensed() {
      return "in";
    }

    @GetMapping("/class/terms")
    @SkipLicense
    String terms() {
      return "in";
    }
  }

  @SkipLicense
  static class OpenController {
    @GetMapping("/inherited/open")
    @ResponseBody
    String open() {
      return "in";
    }

    @GetMapping("/inherited/licensed")
    @RequireLicense
    @ResponseBody
    String licensed() {
      return "in";
    }
  }

  /** Its own annotation is nearer than that of its superclass. */
  @RestController
  @RequireLicense
  static class DerivedController extends OpenController {
    @Override
    @GetMapping("/derived/open")
    String open() {
      return "in";
    }

    /** The annotation of the overridden method applies. */
    @Override
    String licensed() {
      return "in";
    }
  }
}
