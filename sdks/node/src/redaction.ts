import { latin1, utf8 } from "./bytes.ts";

const maxCharacters = 4 * 1024;

/** Removes secrets from what an error shows of a response, which can repeat parts of the request. */
export type Redact = (text: string) => string;

/** Removes the secrets in upper and lower case, and in every form in which a server may write them. */
export function redactor(...secrets: readonly string[]): Redact {
  const forms = secrets.flatMap((secret) => [secret, secret.trim()].flatMap(formsOf));
  // Longest first: a shorter form can be part of a longer one.
  const found = [...new Set(forms)].filter((one) => one !== "").sort((a, b) => b.length - a.length);
  const pattern = new RegExp(
    found.map((one) => one.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|"),
    "giu",
  );
  return (text) => text.replace(pattern, "[redacted]");
}

/** As it is, in a URL, in JSON with and without escapes, and its bytes as characters, as headers are read. */
function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const escaped = json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [secret, escapedKey(secret), json, escaped, latin1(utf8(secret))];
}

/**
 * The error that a runtime threw, with its name, message, code and cause only: it can have the bytes that the server
 * sent, which may repeat the request.
 */
export function redactedCause(failure: unknown, redact: Redact): Error {
  if (!(failure instanceof Error)) return new Error(redact(String(failure)));
  const options = failure.cause === undefined ? undefined : { cause: redactedCause(failure.cause, redact) };
  const cause = Object.assign(new Error(redact(failure.message), options), { name: failure.name });
  cause.stack = redact(failure.stack ?? "");
  return "code" in failure && typeof failure.code === "string"
    ? Object.assign(cause, { code: failure.code })
    : cause;
}

/** The start of a body, for an error. Redacted before it is cut, so that no part of a secret remains. */
export function shownBody(text: string, redact: Redact): string {
  return redact(text).slice(0, maxCharacters);
}

/** A license key as one segment of a path. Unpaired surrogates, which no license key has, are replaced. */
export function escapedKey(key: string): string {
  return encodeURIComponent(key.replace(/\p{Surrogate}/gu, "\ufffd"));
}
