import { fragmentText } from "./fragment.ts";
import { pathOf } from "./pages.ts";

const saved = "countersign.portal.open";

/** The license key from the fragment. It is kept for this tab, because signing in with Discord leaves the page. */
export function openKey(): string | null {
  const given = fragmentText(window.location.hash);
  if (given !== null) {
    sessionStorage.setItem(saved, given);
    // The key is not needed in the address bar or in the browser's history.
    history.replaceState(null, "", window.location.pathname);
  }
  return sessionStorage.getItem(saved);
}

/** The page to continue to if none was asked for. */
export function pageAfterSignIn(): string {
  return sessionStorage.getItem(saved) === null ? "/" : pathOf("open");
}

export function forgetOpenKey(): void {
  sessionStorage.removeItem(saved);
}
