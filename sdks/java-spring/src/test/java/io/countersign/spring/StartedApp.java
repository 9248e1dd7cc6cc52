package io.countersign.spring;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.springframework.boot.web.servlet.context.ServletWebServerInitializedEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;

/** An app with a real web server. */
final class StartedApp implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static volatile ServletWebServerInitializedEvent latest;

  private final ServletWebServerInitializedEvent started = latest;

  /** Spring creates it, because META-INF/spring.factories of the tests names it. */
  public static final class Listener implements ApplicationListener<ServletWebServerInitializedEvent> {
    @Override
    public void onApplicationEvent(ServletWebServerInitializedEvent event) {
      latest = event;
    }
  }

  /** Compiles a source file and runs its main method, which starts an app. */
  static StartedApp compiledFrom(Path source, Path folder, String mainClass, String... properties) throws Exception {
    List<String> options = List.of("-cp", System.getProperty("java.class.path"), "--release", "17", "-parameters");
    List<String> checks = List.of("-Xlint:all,-processing,-path,-classfile", "-Werror", "-proc:none");
    List<String> files = List.of("-d", folder.toString(), source.toString());
    String[] arguments = Stream.of(options, checks, files).flatMap(List::stream).toArray(String[]::new);
    if (ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments) != 0)
      throw new IllegalStateException(source + " does not compile.");
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    URLClassLoader classes = new URLClassLoader(new URL[] {folder.toUri().toURL()}, before);
    Thread.currentThread().setContextClassLoader(classes);
    try {
      classes.loadClass(mainClass).getMethod("main", String[].class).invoke(null, (Object) withDefaults(properties));
      return new StartedApp();
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  static String[] withDefaults(String... properties) {
    Stream<String> defaults =
        Stream.of(
            "server.port=0",
            "server.address=127.0.0.1",
            "spring.main.banner-mode=off",
            "logging.level.root=warn",
            // Tomcat prints what a handler throws.
            "logging.level.org.apache.catalina=off");
    return Stream.concat(defaults, Stream.of(properties)).map(property -> "--" + property).toArray(String[]::new);
  }

  ApplicationContext context() {
    return started.getApplicationContext();
  }

  HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
    return send("GET", path, headers);
  }

  HttpResponse<String> send(String method, String path, String... headers) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path)).method(method, HttpRequest.BodyPublishers.noBody());
    if (headers.length > 0) request.headers(headers);
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, byte[] body, java.util.Map<String, String> headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).POST(HttpRequest.BodyPublishers.ofByteArray(body));
    headers.forEach(request::header);
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + started.getWebServer().getPort() + path);
  }

  @Override
  public void close() {
    ((ConfigurableApplicationContext) started.getApplicationContext()).close();
  }
}
