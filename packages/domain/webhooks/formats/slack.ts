import { type ChatEvent, chatMessage, type Severity, shortened } from "./message.ts";

/** The body of a message to a Slack webhook: blocks, and a text for clients that do not show blocks. */
export function slackMessage(event: ChatEvent): object {
  const { title, severity, fields, atMs } = chatMessage(event);
  const lines = fields.map(({ name, value }) => `${name}: ${value}`);
  const shown = fields.slice(0, mostFields).map(({ name, value }) => ({
    type: "mrkdwn",
    text: `*${name}*\n${escaped(value)}`,
    verbatim: true,
  }));
  return {
    text: escaped([title, ...lines].join(" · "), mostText),
    // Names in the text are not resolved, and links are not unfurled.
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: "header", text: { type: "plain_text", text: `${signs[severity]} ${title}`, emoji: true } },
      ...(shown.length === 0 ? [] : [{ type: "section", fields: shown }]),
      {
        type: "context",
        elements: [
          { type: "mrkdwn", text: `${event.type} · ${new Date(atMs).toISOString()}`, verbatim: true },
        ],
      },
    ],
  };
}

const signs: Readonly<Record<Severity, string>> = { good: "🟢", neutral: "🔵", warning: "🟠", bad: "🔴" };

/** Slack accepts 10 fields of 2,000 characters in a section, and recommends at most 4,000 characters of text. */
const mostFields = 10;
const mostText = 1_000;
const mostValue = 200;

/**
 * With `&`, `<` and `>` escaped, no mention and no link is possible. Characters for bold, strikethrough or code cannot
 * be escaped: a zero-width character before them disables them.
 */
function escaped(text: string, most = mostValue): string {
  return shortened(text, most)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/[*_~`]/g, "\u200b$&")
    .replaceAll("@", "@\u200b");
}
