package io.countersign;

/** Java 17 and later have java.util.HexFormat instead. */
final class Hex {
  private Hex() {}

  static byte[] bytes(String hex) {
    byte[] bytes = new byte[hex.length() / 2];
    for (int index = 0; index < bytes.length; index++)
      bytes[index] = (byte) Integer.parseInt(hex.substring(index * 2, index * 2 + 2), 16);
    return bytes;
  }

  static String text(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte one : bytes) text.append(String.format("%02x", one));
    return text.toString();
  }
}
