const maxCharacters = 4 * 1024;

/** Removes secrets from what an error shows of a response, which can repeat parts of the request. */
export type Redact = (text: string) => string;

/** Also removes the secrets as they are in a URL. */
export function redactor(...secrets: readonly string[]): Redact {
  const forms = secrets.flatMap((secret) => [secret, secret.trim()].flatMap((one) => [one, escapedKey(one)]));
  // Longest first: a shorter form can be part of a longer one.
  const found = [...new Set(forms)].filter((one) => one !== "").sort((a, b) => b.length - a.length);
  return (text) => found.reduce((rest, secret) => rest.split(secret).join("[redacted]"), text);
}

/** The start of a body, for an error. Redacted before it is cut, so that no part of a secret remains. */
export function shownBody(text: string, redact: Redact): string {
  return redact(text).slice(0, maxCharacters);
}

/** A license key as one segment of a path. Unpaired surrogates, which no license key has, are replaced. */
export function escapedKey(key: string): string {
  return encodeURIComponent(key.replace(/\p{Surrogate}/gu, "\ufffd"));
}
