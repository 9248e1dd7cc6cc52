import { type ChatEvent, chatMessage, type Severity, shortened } from "./message.ts";

/** The body of a message to a Discord webhook: one embed that mentions nobody. */
export function discordMessage(event: ChatEvent): object {
  const { title, severity, fields, atMs } = chatMessage(event);
  return {
    embeds: [
      {
        title,
        color: colors[severity],
        fields: fields.slice(0, mostFields).map(({ name, value }) => ({
          name,
          value: escaped(value),
          inline: value.length <= shortValue,
        })),
        timestamp: new Date(atMs).toISOString(),
        footer: { text: event.type },
      },
    ],
    // Escaping hides a mention from readers; this keeps Discord from acting on one.
    allowed_mentions: { parse: [] },
  };
}

const colors: Readonly<Record<Severity, number>> = {
  good: 0x2f9e44,
  neutral: 0x4263eb,
  warning: 0xf08c00,
  bad: 0xe03131,
};

/** Discord accepts 25 fields of 1,024 characters, and 6,000 in total. Escaping at most doubles the length. */
const mostFields = 12;
const mostCharacters = 200;
const shortValue = 40;

/**
 * Shows markup literally, with a backslash before each special character. A zero-width character breaks mentions, and
 * URLs, which Discord would turn into links.
 */
function escaped(text: string): string {
  return shortened(text, mostCharacters)
    .replace(/[\\*_~`|[\]()<>]|^[-#]/g, "\\$&")
    .replaceAll("@", "@\u200b")
    .replaceAll("://", ":\u200b//");
}
