import { describe, expect, test } from "bun:test";
import { listed } from "../../../tests/support/listed.ts";
import { mailto, safeUrl } from "./safe-url.ts";

describe("a link that a seller entered", () => {
  test.each([
    ["https://shop.example.com/renew?x=1", "shop.example.com"],
    ["http://shop.example.com:8080/", "shop.example.com:8080"],
    ["HTTPS://SHOP.EXAMPLE.COM", "shop.example.com"],
    ["mailto:help@example.com", "help@example.com"],
  ])("%s can be followed, and leads to %s", (url, host) => expect(safeUrl(url)?.host).toBe(host));

  test("does not hide its host behind a user name", () =>
    expect(safeUrl("https://bank.example@elsewhere.example/")?.host).toBe("elsewhere.example"));

  test.each([
    ...["javascript:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)", "JaVaScRiPt:alert(1)"],
    ...listed("data:text/html,<script>alert(1)</script> vbscript:x file:///etc/passwd blob:https://a.b/1"),
    ...["//example.com", "/relative", "not a url", ""],
  ])("%j cannot", (url) => expect(safeUrl(url)).toBeNull());
});

describe("an email address as a link", () => {
  test("is shown as it is", () =>
    expect(safeUrl(mailto("help+portal@example.com"))?.host).toBe("help+portal@example.com"));

  test("cannot add recipients or a text", () => {
    const url = new URL(mailto("help?bcc=all@example.com&body=x"));
    expect(url.search).toBe("");
  });
});
