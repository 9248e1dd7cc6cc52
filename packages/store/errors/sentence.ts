import { isDiskFull } from "./disk-full.ts";

/** An error message, ready to be part of a longer one. */
export function errorSentence(cause: unknown): string {
  // A refused connection to a name with several IP addresses is an AggregateError without its own message.
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const text = first instanceof Error && first.message !== "" ? first.message : String(first);
  const ended = text.endsWith(".") ? text : `${text}.`;
  return isDiskFull(cause) ? `The disk is full: ${ended}` : ended;
}
