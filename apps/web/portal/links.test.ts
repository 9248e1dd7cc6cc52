import { expect, test } from "bun:test";
import { listed } from "../../../tests/support/listed.ts";
import { fragmentText, linkToken } from "./base/link-contents.ts";
import { pageAt, pathOf } from "./base/pages.ts";
import { mailto, safeUrl } from "./base/safe-url.ts";

test.each([
  ["", null],
  ["#", null],
  ["#POLAR-1234", "POLAR-1234"],
  ["#a%2Fb%20c", "a/b c"],
  ["#100%", "100%"],
])("the fragment %j contains %j", (hash, text) => expect(fragmentText(hash)).toBe(text));

test.each([
  ["#abc", "/"],
  ["#abc&next=%2Flicenses%2Flic_1", "/licenses/lic_1"],
  ["#abc&next=/open", "/open"],
  ["#abc&next=", "/"],
  ["#abc&next=https%3A%2F%2Felsewhere.example", "/"],
  ["#abc&next=%2F%2Felsewhere.example", "/"],
  ["#abc&next=%2F%5Celsewhere.example", "/"],
  ["#abc&next=javascript%3Aalert(1)", "/"],
  ["#abc&next=%", "/"],
])("the link %s signs in, then leads to %s", (hash, next) => {
  expect(linkToken(hash)).toEqual({ token: "abc", next });
});

test.each(["", "#", "#&next=/"])("the link %j has no token", (hash) => expect(linkToken(hash)).toBeNull());

test.each([
  ["/", { name: "licenses", params: {} }],
  ["/licenses/lic_1", { name: "license", params: { licenseId: "lic_1" } }],
  ["/licenses/lic%201/", { name: "license", params: { licenseId: "lic 1" } }],
  ["/transfers", { name: "transfers", params: {} }],
  ["/account", { name: "account", params: {} }],
  ["/open", { name: "open", params: {} }],
  ["/sign-in", { name: "signIn", params: {} }],
  ["/sign-in/link", { name: "link", params: {} }],
  ["/licenses/%E0%A4%A", { name: "license", params: { licenseId: "%E0%A4%A" } }],
  ["/licenses", null],
  ["/licenses/a/b", null],
  ["/nothing", null],
])("%s is the page %j", (path, page) => expect(pageAt(path)).toEqual(page as ReturnType<typeof pageAt>));

test("a path can be read back, whatever the ID of the license is", () => {
  for (const licenseId of ["lic_1", "a/b", "ä ?#"])
    expect(pageAt(pathOf("license", { licenseId }))).toEqual({ name: "license", params: { licenseId } });
});

test.each([
  ["https://shop.example.com/renew?x=1", "shop.example.com"],
  ["http://shop.example.com:8080/", "shop.example.com:8080"],
  ["HTTPS://SHOP.EXAMPLE.COM", "shop.example.com"],
  ["mailto:help@example.com", "help@example.com"],
  // It does not hide its host behind a user name.
  ["https://bank.example@elsewhere.example/", "elsewhere.example"],
  [mailto("help+portal@example.com"), "help+portal@example.com"],
])("a link that a seller entered, %s, leads to %s", (url, host) => expect(safeUrl(url)?.host).toBe(host));

test.each([
  ...["javascript:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)", "JaVaScRiPt:alert(1)"],
  ...listed("data:text/html,<script>alert(1)</script> vbscript:x file:///etc/passwd blob:https://a.b/1"),
  ...["//example.com", "/relative", "not a url", ""],
])("a link that a seller entered, %j, cannot be followed", (url) => expect(safeUrl(url)).toBeNull());

test("an email address as a link cannot add recipients or a text", () =>
  expect(new URL(mailto("help?bcc=all@example.com&body=x")).search).toBe(""));
