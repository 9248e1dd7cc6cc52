import "./portal.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import type { Seller } from "./api.ts";
import { App } from "./app.tsx";
import { sellerSlug } from "./from-seller.ts";
import { chosenLanguage, languageFor } from "./language.ts";
import { queryClient, sellerQuery } from "./queries.ts";
import { startTheme } from "./theme.ts";
import { startTranslation } from "./translation.ts";

/** The page appears without the seller's branding if it does not arrive in this time. */
const waitForBrandingMs = 2_000;

startTheme();
const seller = await branding(sellerSlug());
await startTranslation(languageFor(chosenLanguage(), seller?.locale ?? null, navigator.languages));
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
