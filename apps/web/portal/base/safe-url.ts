/** A link that a seller entered, if a browser may open it: never `javascript:` or another scheme that runs something. */
interface SafeUrl {
  readonly href: string;
  /** Where it leads, for people to see before they follow it. */
  readonly host: string;
}

export function safeUrl(text: string): SafeUrl | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  switch (url.protocol) {
    case "https:":
    case "http:":
      return { href: url.href, host: url.host };
    case "mailto:":
      return { href: url.href, host: decoded(url.pathname) };
    default:
      return null;
  }
}

/** An email address as a link. Encoded, so that a `?` in it cannot add recipients or a text. */
export function mailto(email: string): string {
  return `mailto:${encodeURIComponent(email).replace("%40", "@")}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
