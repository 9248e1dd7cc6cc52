/** The Countersign client: nothing but the JDK. */
module io.countersign {
  requires transitive java.net.http;

  exports io.countersign;
  exports io.countersign.events;
}
