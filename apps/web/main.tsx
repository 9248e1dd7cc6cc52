import "./app/below-mantine.css";
// In a layer: what a part of ours says about its look holds, in whichever order the built files are loaded.
import "@mantine/core/styles.layer.css";
import "@mantine/notifications/styles.layer.css";
import "./app/app.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { loadTheRest, startTranslation } from "./i18n/start.ts";
import { isFetchingAhead } from "./ui/fetch-ahead.ts";

// After an upgrade of the server, what an open page wants to load next may be gone: the new page has another name for it.
window.addEventListener("vite:preloadError", () => {
  // A hand that came near a button is no reason to lose what is typed.
  if (isFetchingAhead()) return;
  const last = Number(sessionStorage.getItem("countersign.reloaded") ?? 0);
  if (Date.now() - last < 60_000) return;
  // Without a connection, loading anew would leave the browser's own error page.
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
setTimeout(() => loadTheRest().catch(() => undefined), 2_000);
