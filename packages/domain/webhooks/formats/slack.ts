import { chatMessage, type Mood, shortened, type ToldEvent } from "./message.ts";

/** The body of a message to a Slack webhook: blocks, and a text for where these are not shown. */
export function slackMessage(event: ToldEvent): object {
  const { title, mood, fields, atMs } = chatMessage(event);
  const lines = fields.map(({ name, value }) => `${name}: ${value}`);
  const shown = fields.slice(0, mostFields).map(({ name, value }) => ({
    type: "mrkdwn",
    text: `*${name}*\n${escaped(value)}`,
    verbatim: true,
  }));
  return {
    text: escaped([title, ...lines].join(" · "), mostText),
    // Names in the text are not looked up, and addresses are not unfolded.
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: "header", text: { type: "plain_text", text: `${signs[mood]} ${title}`, emoji: true } },
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

const signs: Readonly<Record<Mood, string>> = { good: "🟢", neutral: "🔵", warning: "🟠", bad: "🔴" };

/** Slack takes 10 fields of 2,000 characters in a section, and wishes for at most 4,000 of text. */
const mostFields = 10;
const mostText = 1_000;
const mostValue = 200;

/**
 * With `&`, `<` and `>` as Slack asks for them no mention and no link can be written. What makes text bold, struck or
 * code has no escape: a character without width before it takes its meaning.
 */
function escaped(text: string, most = mostValue): string {
  return shortened(text, most)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/[*_~`]/g, "\u200b$&")
    .replaceAll("@", "@\u200b");
}
