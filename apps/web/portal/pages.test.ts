import { expect, test } from "bun:test";
import { pageAt, pathOf } from "./pages.ts";

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

test("a path can be read back, whatever the license is called", () => {
  for (const licenseId of ["lic_1", "a/b", "ä ?#"])
    expect(pageAt(pathOf("license", { licenseId }))).toEqual({ name: "license", params: { licenseId } });
});
