package io.countersign;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.zip.GZIPInputStream;

/** Reads the whole body, up to the maximum size. */
final class ResponseBody implements HttpResponse.BodySubscriber<byte[]> {
  /** No Countersign response is longer than this. */
  static final int MAX_BYTES = 1024 * 1024;

  private final HttpResponse.BodySubscriber<byte[]> whole = HttpResponse.BodySubscribers.ofByteArray();
  private volatile Flow.Subscription subscription;
  private volatile boolean isCancelled;
  private long length;

  /** The body before its compression. Stops at the maximum size, because a few bytes can decompress to gigabytes. */
  static byte[] decoded(byte[] body, HttpHeaders headers) throws IOException {
    String encoding = headers.firstValue("content-encoding").orElse("").trim().toLowerCase(Locale.ROOT);
    if (encoding.isEmpty() || encoding.equals("identity") || body.length == 0) return body;
    if (!encoding.equals("gzip") && !encoding.equals("x-gzip"))
      throw new IOException("the response has an unknown encoding");
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
      byte[] decoded = in.readNBytes(MAX_BYTES + 1);
      if (decoded.length > MAX_BYTES) throw tooLarge();
      return decoded;
    }
  }

  /** Before Java 16, cancelling the future does not stop reading from the connection. */
  void cancel() {
    isCancelled = true;
    Flow.Subscription current = subscription;
    if (current != null) current.cancel();
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return whole.getBody();
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    this.subscription = subscription;
    whole.onSubscribe(subscription);
    if (isCancelled) subscription.cancel();
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) length += buffer.remaining();
    if (length <= MAX_BYTES) {
      whole.onNext(buffers);
      return;
    }
    subscription.cancel();
    whole.onError(tooLarge());
  }

  @Override
  public void onError(Throwable failure) {
    whole.onError(failure);
  }

  @Override
  public void onComplete() {
    whole.onComplete();
  }

  private static IOException tooLarge() {
    return new IOException(
        "the response is larger than " + MAX_BYTES + " bytes, so it is not from a Countersign server");
  }
}
