import { expect, test } from "bun:test";
import { compose, oneLine } from "./compose.ts";

test("what somebody chose as a name is text in the HTML, not markup", () => {
  const { html } = compose({ title: "<b>", before: ["a & <script>"], action: null, after: [] });
  expect(html).not.toContain("<script>");
  expect(html).toContain("a &amp; &lt;script&gt;");
});

test("the link is in the text and in the HTML", () => {
  const action = { label: "Accept", url: "https://license.example.com/invitations/abc?a=1&b=2" };
  const { text, html } = compose({ title: "T", before: ["Hello."], action, after: ["Bye."] });
  expect(text).toBe(`Hello.\n\nAccept:\n${action.url}\n\nBye.\n`);
  expect(html).toContain('href="https://license.example.com/invitations/abc?a=1&amp;b=2"');
});

test.each([
  ["Acme", "Acme"],
  [" Acme\r\n\r\nYour account is locked ", "Acme Your account is locked"],
  ["A\u2028B\u202eC", "A B C"],
])("%p in a letter is %p", (name, line) => {
  expect(oneLine(name)).toBe(line);
});
