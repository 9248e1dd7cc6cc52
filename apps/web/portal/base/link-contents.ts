import { pathOf } from "./pages.ts";

/** Where what a link brought is kept for this tab. */
const saved = {
  seller: "countersign.portal.seller",
  language: "countersign.portal.link-language",
  licenseKey: "countersign.portal.open",
} as const;

/** The slug of the seller that the person came from: `?seller=`, kept for this tab. */
export function sellerSlug(): string | null {
  const given = new URLSearchParams(window.location.search).get("seller");
  if (given !== null && /^[a-z0-9-]{1,64}$/i.test(given)) sessionStorage.setItem(saved.seller, given);
  return sessionStorage.getItem(saved.seller);
}

/** The language that the link asks for: `?language=`, kept for this tab. */
export function linkLanguage(): string | null {
  const given = new URLSearchParams(window.location.search).get("language");
  if (given !== null && /^[a-z]{2}(-[a-z0-9]{1,8})?$/i.test(given))
    sessionStorage.setItem(saved.language, given);
  return sessionStorage.getItem(saved.language);
}

/** The license key from the fragment. It is kept for this tab, because signing in with Discord leaves the page. */
export function openKey(): string | null {
  const given = fragmentText(window.location.hash);
  if (given !== null) {
    sessionStorage.setItem(saved.licenseKey, given);
    // The key is not needed in the address bar or in the browser's history.
    history.replaceState(null, "", window.location.pathname);
  }
  return sessionStorage.getItem(saved.licenseKey);
}

/** The page to continue to if none was asked for. */
export function pageAfterSignIn(): string {
  return sessionStorage.getItem(saved.licenseKey) === null ? "/" : pathOf("open");
}

export function forgetOpenKey(): void {
  sessionStorage.removeItem(saved.licenseKey);
}

/** What the link in the email holds after `#`: a token, and the page of the portal to continue to. */
interface LinkToken {
  readonly token: string;
  readonly next: string;
}

/** Null without a token. `next` is never another site. */
export function linkToken(hash: string): LinkToken | null {
  const [token = "", rest = ""] = hash.slice(1).split("&", 2);
  if (token === "") return null;
  const next = new URLSearchParams(rest).get("next") ?? "/";
  return { token, next: /^\/(?![/\\])[^\s\\]*$/.test(next) ? next : "/" };
}

/** The text after `#`, or null. A link that was copied by hand need not be encoded correctly. */
export function fragmentText(hash: string): string | null {
  const text = hash.slice(1);
  if (text === "") return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
