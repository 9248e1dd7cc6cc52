import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { eventTypes } from "../events/types.ts";
import type { ChatEvent } from "./formats.ts";
import { discordMessage, slackMessage } from "./formats.ts";

const atMs = Date.parse("2031-01-02T03:04:05.678Z");
const license = {
  license_key: "ABCD-EFGH-IJKL-MNOP",
  product_name: "Plugin",
  customer_name: "Ada",
  customer_email: "ada@example.com",
  expires_at: "2031-02-03T00:00:00.000Z",
  is_lifetime: false,
  notes: "not for a channel",
  metadata: { order: 7 },
};

interface Discord {
  title: string;
  footer: { text: string };
  fields: { name: string; value: string }[];
}
interface Slack {
  text: string;
  blocks: { type: string; text?: { text: string }; fields?: { text: string }[] }[];
}

type Message<Body> = (data: object, type?: ChatEvent["type"]) => Body;
const bodyOf = (make: (event: ChatEvent) => unknown, data: object, type: ChatEvent["type"]) =>
  make({ type, atMs, data: data as ChatEvent["data"] });
const discord: Message<{ embeds: [Discord] }> = (data, type = "license.created") =>
  bodyOf(discordMessage, data, type) as { embeds: [Discord] };
const slack: Message<Slack> = (data, type = "license.created") => bodyOf(slackMessage, data, type) as Slack;
const slackFields = ({ blocks }: Slack) =>
  blocks.flatMap(({ fields = [] }) => fields.map((field) => field.text));

test("a Discord message is an embed with a colour, fields and the time", () => {
  const fields = {
    Product: "Plugin",
    Key: "ABCD…",
    Customer: "Ada",
    Expires: "2031-02-03",
    Reason: "Refunded",
  };
  const embed = {
    title: "License revoked",
    color: 0xe03131,
    timestamp: "2031-01-02T03:04:05.678Z",
    footer: { text: "license.revoked" },
    fields: Object.entries(fields).map(([name, value]) => ({ name, value, inline: true })),
  };
  const message = discord({ license, reason: "Refunded" }, "license.revoked");
  expect<object>(message).toEqual({ embeds: [embed], allowed_mentions: { parse: [] } });
});

describe("transfers", () => {
  const from = { customer_name: "Ada", customer_email: "ada@example.com", customer_discord_id: null };
  const to = { customer_name: "Grace", customer_email: "grace@example.com", customer_discord_id: null };
  const shown = (transfer: object, type: ChatEvent["type"]) => {
    const [{ fields }] = discord({ license, transfer: { from, to, ...transfer } }, type).embeds;
    return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
  };

  test("the message of a requested transfer says who requested it, for whom, and why it needs review", () => {
    const transfer = { state: "pending", message: "Sold", review_reason: "cooldown" };
    expect(shown(transfer, "license.transfer_requested")).toMatchObject({
      From: "Ada",
      To: "Grace",
      "Customer's message": "Sold",
      "Needs review": "The license was created or transferred recently",
    });
  });

  test("the message of a rejected transfer says why, in the seller's words", () => {
    const rejected = { state: "rejected", review_reason: "product_setting", reason: "Part of a bundle" };
    const fields = shown(rejected, "license.transfer_rejected");
    expect(fields).toMatchObject({ To: "Grace", Reason: "Part of a bundle" });
    expect(JSON.stringify(fields)).not.toContain("grace@example.com");
    for (const name of ["Needs review", "Customer"]) expect(fields).not.toHaveProperty(name);
  });

  test("the message of a cancelled transfer says in words why the server cancelled it", () => {
    const transfer = { state: "cancelled", decided_by: "system", reason: "customer_changed" };
    const { Reason: reason } = shown(transfer, "license.transfer_cancelled");
    expect(reason).toBe("The license was given to another customer");
  });
});

test("a Slack message is blocks, with a text for where these are not shown", () => {
  const message = slack({ license, ip: "203.0.113.7" }, "license.ip_registered");
  expect(message.text).toBe(
    "New IP address registered · Product: Plugin · Key: ABCD… · Customer: Ada · IP address: 203.0.113.7 · Expires: 2031-02-03",
  );
  expect(message.blocks.map((block) => block.type)).toEqual(["header", "section", "context"]);
  expect(message.blocks[0]?.text?.text).toBe("🔵 New IP address registered");
  expect(slackFields(message)).toEqual([
    "*Product*\nPlugin",
    "*Key*\nABCD…",
    "*Customer*\nAda",
    "*IP address*\n203.0.113.7",
    "*Expires*\n2031-02-03",
  ]);
});

test.each([
  ["@everyone", "@\u200beveryone"],
  ["<@123>", "\\<@\u200b123\\>"],
  ["**bold**", "\\*\\*bold\\*\\*"],
  ["||hidden||", "\\|\\|hidden\\|\\|"],
  ["[a](https://x)", "\\[a\\]\\(https:\u200b//x\\)"],
  ["# heading", "\\# heading"],
  ["`code`", "\\`code\\`"],
  ["\\*", "\\\\\\*"],
  ["a\nb\r\n\tc", "a b c"],
])("Discord shows %j as it is written", (reason, shown) =>
  expect(discord({ reason }).embeds[0].fields[0]?.value).toBe(shown),
);

test.each([
  ["<!channel>", "&lt;!channel&gt;"],
  ["<@U123|x>", "&lt;@\u200bU123|x&gt;"],
  ["@here", "@\u200bhere"],
  ["a & b", "a &amp; b"],
  ["*bold* _x_ ~y~ `z`", "\u200b*bold\u200b* \u200b_x\u200b_ \u200b~y\u200b~ \u200b`z\u200b`"],
])("Slack shows %j as it is written", (reason, shown) =>
  expect(slackFields(slack({ reason }))).toEqual([`*Reason*\n${shown}`]),
);

test.each([...eventTypes])(
  "a message of %s has a title, and no key, notes, or email address of a customer with a name",
  (type) => {
    expect(discord({}, type).embeds[0].title.length).toBeGreaterThan(3);
    expect(slack({}, type).text.length).toBeGreaterThan(3);
    const text = JSON.stringify([discord({ license }, type), slack({ license }, type)]);
    for (const hidden of ["EFGH", "not for a channel", "order", "ada@example.com"])
      expect(text).not.toContain(hidden);
  },
);

test("whatever is in an event, a message stays within the limits and mentions nobody", () => {
  const text = fc.string({ unit: "binary", maxLength: 3_000 });
  const long = fc.constantFrom("<!everyone>", "@everyone", "*".repeat(5_000), "😀".repeat(2_000));
  const hostile = fc.oneof(text, long);
  const anything = fc.jsonValue();
  const names = { product_name: hostile, license_key: hostile, customer_name: hostile, expires_at: hostile };
  const data = fc.record({
    message: hostile,
    ip: fc.oneof(hostile, anything),
    reason: hostile,
    changed: fc.oneof(fc.array(hostile, { maxLength: 40 }), anything),
    count: anything,
    license: fc.oneof(fc.record(names), anything),
  });
  forAll(100, [data, fc.constantFrom(...eventTypes)], (some, type) => {
    const [embed] = discord(some, type).embeds;
    let total = embed.title.length + embed.footer.text.length;
    for (const { name, value } of embed.fields) {
      expect(value.length).toBeWithin(1, 1_025);
      expect(value).not.toMatch(/@(?!\u200b)/);
      expect(value.isWellFormed()).toBe(true);
      total += name.length + value.length;
    }
    expect(embed.fields.length).toBeLessThanOrEqual(25);
    expect(total).toBeLessThanOrEqual(6_000);
    const message = slack(some, type);
    const fields = slackFields(message);
    expect(fields.length).toBeLessThanOrEqual(10);
    expect(message.text.length).toBeLessThanOrEqual(8_000);
    for (const one of [message.text, ...fields]) expect(one).not.toMatch(/[<>]|@(?!\u200b)/);
    for (const field of fields) expect(field.length).toBeLessThanOrEqual(2_000);
  });
});
