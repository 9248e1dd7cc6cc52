import { expect, test } from "bun:test";
import { mentionOf } from "./mentions.ts";

const mentions = mentionOf(["ada@example.com", "184467440737095516", "İ+x@exämple.com"]);

test.each([
  ["ada@example.com"],
  ["Write to ADA@example.com."],
  ["<ada@example.com>, or her"],
  [JSON.stringify({ notes: "Contact:\nada@example.com" })],
  [JSON.stringify({ metadata: JSON.stringify({ contact: "\tada@example.com\n" }) })],
  [JSON.stringify({ customer: { discord_id: "184467440737095516" } })],
  ["İ+x@exämple.com"],
])("%s mentions the person", (text) => expect(mentions(text)).toBe(true));

test.each([
  [null],
  [""],
  ["canada@example.com"],
  ["ada@example.com.au"],
  ["x.ada@example.com"],
  ["ada@example.community"],
  ["adaXexample.com"],
  ["1844674407370955161"],
])("%s mentions someone else or no one", (text) => expect(mentions(text)).toBe(false));

test("nobody is mentioned without a term", () => expect(mentionOf([])("ada@example.com")).toBe(false));
