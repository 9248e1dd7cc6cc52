package io.countersign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with a self-signed certificate, called by clients that trust the certificate and by others. */
@Timeout(60)
class HttpsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir static Path folder;

  private static SSLContext serving;
  private static SSLContext trusting;

  @BeforeAll
  static void createCertificate() throws Exception {
    Path file = folder.resolve("server.p12");
    // Every JDK has keytool, but not every machine has openssl.
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", "server", "-keyalg", "EC", "-validity", "2",
                "-dname", "CN=localhost", "-ext", "san=ip:127.0.0.1",
                "-storetype", "PKCS12", "-keystore", file.toString(), "-storepass", new String(PASSWORD))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.txt").toFile())
            .start();
    assertTrue(keytool.waitFor(30, TimeUnit.SECONDS));
    assertEquals(0, keytool.exitValue(), Files.readString(folder.resolve("keytool.txt")));

    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD);
    }
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD);
    serving = SSLContext.getInstance("TLS");
    serving.init(own.getKeyManagers(), null, null);

    KeyStore authorities = KeyStore.getInstance("PKCS12");
    authorities.load(null, null);
    authorities.setCertificateEntry("server", keys.getCertificate("server"));
    TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusted.init(authorities);
    trusting = SSLContext.getInstance("TLS");
    trusting.init(null, trusted.getTrustManagers(), null);
  }

  @Test
  void aSelfSignedCertificateIsTrustedIfTheHttpClientTrustsIt() throws Exception {
    try (RawServer server = RawServer.secure(serving, RawServer.active())) {
      HttpClient http = HttpClient.newBuilder().sslContext(trusting).build();
      assertTrue(builder(server).httpClient(http).build().validate(ConformanceServer.DEFAULT_KEY).valid());
    }
  }

  @Test
  void anUntrustedCertificateIsAConnectionErrorAndTheApiKeyIsNotSent() throws Exception {
    try (RawServer server = RawServer.secure(serving, RawServer.active())) {
      Countersign client = builder(server).build();
      ConnectionException problem =
          assertThrows(ConnectionException.class, () -> client.validate(ConformanceServer.DEFAULT_KEY));
      assertEquals(ConnectionException.class, problem.getClass());
      assertEquals(0, server.requests.size());
    }
  }

  private static CountersignBuilder builder(RawServer server) {
    return Countersign.builder().apiKey("csk_test").baseUrl(server.url());
  }
}
