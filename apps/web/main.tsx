import "./app/below-mantine.css";
// In a CSS layer, so that our own styles win in whatever order the built files are loaded.
import "@mantine/core/styles.layer.css";
import "@mantine/notifications/styles.layer.css";
import "./app/app.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { loadRemainingTexts, startTranslation } from "./i18n/start.ts";
import { isFetchingAhead } from "./ui/on-demand.tsx";

// After a server upgrade, files that an open page wants to load may be gone; a reload gets their new names.
window.addEventListener("vite:preloadError", () => {
  // A prefetch on hover is no reason to discard input.
  if (isFetchingAhead()) return;
  const last = Number(sessionStorage.getItem("countersign.reloaded") ?? 0);
  if (Date.now() - last < 60_000) return;
  // Without a connection, a reload would show the browser's error page.
  void fetch("/favicon.svg", { cache: "no-store" }).then(
    () => {
      sessionStorage.setItem("countersign.reloaded", String(Date.now()));
      window.location.reload();
    },
    () => undefined,
  );
});

await startTranslation();
const root = document.getElementById("root");
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
setTimeout(() => loadRemainingTexts().catch(() => undefined), 2_000);
