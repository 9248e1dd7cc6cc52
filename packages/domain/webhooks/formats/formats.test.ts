import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../../tests/support/for-all.ts";
import { eventTypes } from "../../events/types.ts";
import { discordMessage } from "./discord.ts";
import type { ChatEvent } from "./message.ts";
import { slackMessage } from "./slack.ts";

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

const chatEvent = (data: object, type: ChatEvent["type"] = "license.created"): ChatEvent => ({
  type,
  atMs,
  data: data as ChatEvent["data"],
});

interface DiscordBody {
  embeds: [
    { title: string; color: number; timestamp: string; footer: { text: string }; fields: DiscordField[] },
  ];
  allowed_mentions: { parse: string[] };
}
interface DiscordField {
  name: string;
  value: string;
  inline: boolean;
}
interface SlackBody {
  text: string;
  blocks: { type: string; text?: { text: string }; fields?: { text: string }[] }[];
}

const discord = (event: ChatEvent) => discordMessage(event) as DiscordBody;
const slack = (event: ChatEvent) => slackMessage(event) as SlackBody;
const discordValueOf = (text: string) => discord(chatEvent({ reason: text })).embeds[0].fields[0]?.value;
const slackValueOf = (text: string) =>
  slack(chatEvent({ reason: text })).blocks.find((block) => block.type === "section")?.fields?.[0]?.text;

test("a Discord message is an embed with a colour, fields and the time", () => {
  expect(discord(chatEvent({ license, reason: "Refunded" }, "license.revoked"))).toEqual({
    embeds: [
      {
        title: "License revoked",
        color: 0xe03131,
        timestamp: "2031-01-02T03:04:05.678Z",
        footer: { text: "license.revoked" },
        fields: [
          { name: "Product", value: "Plugin", inline: true },
          { name: "Key", value: "ABCD…", inline: true },
          { name: "Customer", value: "Ada", inline: true },
          { name: "Expires", value: "2031-02-03", inline: true },
          { name: "Reason", value: "Refunded", inline: true },
        ],
      },
    ],
    allowed_mentions: { parse: [] },
  });
});

describe("a transfer", () => {
  const from = { customer_name: "Ada", customer_email: "ada@example.com", customer_discord_id: null };
  const to = { customer_name: "Grace", customer_email: "grace@example.com", customer_discord_id: null };
  const fields = (transfer: object, type: ChatEvent["type"]) =>
    Object.fromEntries(
      discord(chatEvent({ license, transfer }, type)).embeds[0].fields.map(
        ({ name, value }: { name: string; value: string }) => [name, value],
      ),
    );

  test("says who requested it, for whom, and why it needs review", () => {
    const transfer = { from, to, state: "pending", message: "Sold", review_reason: "cooldown" };
    expect(fields(transfer, "license.transfer_requested")).toMatchObject({
      From: "Ada",
      To: "Grace",
      "Customer's message": "Sold",
      "Needs review": "The license was created or transferred recently",
    });
  });

  test("says why it was rejected, in the seller's words", () => {
    const shown = fields(
      { from, to, state: "rejected", review_reason: "product_setting", reason: "Part of a bundle" },
      "license.transfer_rejected",
    );
    expect(shown).toMatchObject({ To: "Grace", Reason: "Part of a bundle" });
    expect(JSON.stringify(shown)).not.toContain("grace@example.com");
    expect(shown).not.toHaveProperty("Needs review");
    expect(shown).not.toHaveProperty("Customer");
  });

  test("says in words why the server cancelled it", () => {
    const transfer = { from, to, state: "cancelled", decided_by: "system", reason: "customer_changed" };
    expect(fields(transfer, "license.transfer_cancelled").Reason).toBe(
      "The license was given to another customer",
    );
  });
});

test("a Slack message is blocks, with a text for where these are not shown", () => {
  const { text, blocks } = slack(chatEvent({ license, ip: "203.0.113.7" }, "license.ip_registered"));
  expect(text).toBe(
    "New IP address registered · Product: Plugin · Key: ABCD… · Customer: Ada · IP address: 203.0.113.7 · Expires: 2031-02-03",
  );
  expect(blocks.map((block) => block.type)).toEqual(["header", "section", "context"]);
  expect(blocks[0]?.text?.text).toBe("🔵 New IP address registered");
  expect(blocks[1]?.fields?.map((field) => field.text)).toEqual([
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
])("Discord shows %j as it is written", (text, shown) => expect(discordValueOf(text)).toBe(shown));

test.each([
  ["<!channel>", "&lt;!channel&gt;"],
  ["<@U123|x>", "&lt;@\u200bU123|x&gt;"],
  ["@here", "@\u200bhere"],
  ["a & b", "a &amp; b"],
  ["*bold* _x_ ~y~ `z`", "\u200b*bold\u200b* \u200b_x\u200b_ \u200b~y\u200b~ \u200b`z\u200b`"],
])("Slack shows %j as it is written", (text, shown) => expect(slackValueOf(text)).toBe(`*Reason*\n${shown}`));

describe.each([...eventTypes])("%s", (type) => {
  test("has its own title in both, whatever the event contains", () => {
    expect(discord(chatEvent({}, type)).embeds[0].title.length).toBeGreaterThan(3);
    expect(slack(chatEvent({}, type)).text.length).toBeGreaterThan(3);
  });

  test("contains no key, no notes, and no email address of a customer with a name", () => {
    for (const body of [discord(chatEvent({ license }, type)), slack(chatEvent({ license }, type))]) {
      const text = JSON.stringify(body);
      for (const hidden of ["EFGH", "not for a channel", "order", "ada@example.com"])
        expect(text).not.toContain(hidden);
    }
  });
});

test("whatever is in an event, a message stays within the limits and mentions nobody", () => {
  const text = fc.string({ unit: "binary", maxLength: 3_000 });
  const hostile = fc.oneof(
    text,
    fc.constantFrom("<!everyone>", "@everyone", "*".repeat(5_000), "😀".repeat(2_000)),
  );
  const data = fc.record({
    message: hostile,
    ip: fc.oneof(hostile, fc.jsonValue()),
    reason: hostile,
    changed: fc.oneof(fc.array(hostile, { maxLength: 40 }), fc.jsonValue()),
    count: fc.jsonValue(),
    license: fc.oneof(
      fc.record({ product_name: hostile, license_key: hostile, customer_name: hostile, expires_at: hostile }),
      fc.jsonValue(),
    ),
  });
  forAll(100, [data, fc.constantFrom(...eventTypes)], (some, type) => {
    const [embed] = discord(chatEvent(some, type)).embeds;
    let total = embed.title.length + embed.footer.text.length;
    for (const { name, value } of embed.fields) {
      expect(value.length).toBeGreaterThan(0);
      expect(value.length).toBeLessThanOrEqual(1_024);
      expect(value).not.toMatch(/@(?!\u200b)/);
      expect(value.isWellFormed()).toBe(true);
      total += name.length + value.length;
    }
    expect(embed.fields.length).toBeLessThanOrEqual(25);
    expect(total).toBeLessThanOrEqual(6_000);
    const { text: plain, blocks } = slack(chatEvent(some, type));
    const fields = blocks.flatMap((block) => block.fields ?? []);
    expect(fields.length).toBeLessThanOrEqual(10);
    expect(plain.length).toBeLessThanOrEqual(40_000);
    for (const one of [plain, ...fields.map((field) => field.text)]) {
      expect(one).not.toMatch(/[<>]|@(?!\u200b)/);
      expect(one.length).toBeLessThanOrEqual(8_000);
    }
    for (const field of fields) expect(field.text.length).toBeLessThanOrEqual(2_000);
  });
});
