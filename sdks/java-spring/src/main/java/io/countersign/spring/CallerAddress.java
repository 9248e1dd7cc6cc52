package io.countersign.spring;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the limit of unknown keys counts by: the IPv4 address, or the /64 of an IPv6 address. */
final class CallerAddress {
  private static final int MAX_CHARACTERS = 128;
  /** Some proxies add the port. With it, each connection would be a caller of its own. */
  private static final Pattern WITH_PORT = Pattern.compile("\\[([^\\]]*)\\](?::\\d+)?|(\\d+\\.\\d+\\.\\d+\\.\\d+):\\d+");
  private static final Pattern IPV4 = Pattern.compile("(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}");
  private static final Pattern IPV6 = Pattern.compile("[0-9a-f:]*:[0-9a-f:]*(?:\\d+\\.\\d+\\.\\d+\\.\\d+)?");

  private CallerAddress() {}

  /** A single customer often has a whole /64. Other values, such as a tenant's ID, are returned as they are. */
  static String callerOf(String address) {
    String text = address == null ? "" : address.strip().toLowerCase(Locale.ROOT);
    Matcher withPort = WITH_PORT.matcher(text);
    if (withPort.matches()) text = withPort.group(1) != null ? withPort.group(1) : withPort.group(2);
    String host = text.contains("%") ? text.substring(0, text.indexOf('%')) : text;
    if (IPV4.matcher(host).matches()) return host;
    byte[] bytes = IPV6.matcher(host).matches() ? bytesOf(host) : null;
    if (bytes == null) return text.substring(0, Math.min(text.length(), MAX_CHARACTERS));
    // Java returns an IPv4 address for an IPv4-mapped one.
    if (bytes.length == 4) return String.format("%d.%d.%d.%d", bytes[0] & 255, bytes[1] & 255, bytes[2] & 255, bytes[3] & 255);
    StringBuilder network = new StringBuilder();
    for (int i = 0; i < 8; i += 2) network.append(Integer.toHexString((bytes[i] & 255) << 8 | bytes[i + 1] & 255)).append(':');
    return network.append(":/64").toString();
  }

  /** Null if it is not an address. No name is ever resolved: the text consists of digits and colons. */
  private static byte[] bytesOf(String host) {
    try {
      return InetAddress.getByName(host).getAddress();
    } catch (UnknownHostException notAnAddress) {
      return null;
    }
  }
}
