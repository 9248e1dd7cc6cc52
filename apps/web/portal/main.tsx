import "./portal.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import type { Seller } from "./base/api.ts";
import { languageFor, startTranslation, wantedLanguage } from "./base/language.ts";
import { sellerSlug } from "./base/link-contents.ts";
import { queryClient, sellerQuery } from "./base/queries.ts";
import { startTheme } from "./base/theme.ts";

/** The page appears without the seller's branding if it does not arrive in this time. */
const waitForBrandingMs = 2_000;

startTheme();
const seller = await branding(sellerSlug());
await startTranslation(languageFor(wantedLanguage(), navigator.languages, seller?.locale ?? null));
const root = document.getElementById("root");
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App seller={seller} />
    </StrictMode>,
  );

async function branding(slug: string | null): Promise<Seller | null> {
  if (slug === null) return null;
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), waitForBrandingMs));
  return Promise.race([queryClient.fetchQuery(sellerQuery(slug)).catch(() => null), late]);
}
