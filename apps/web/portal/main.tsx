import "./portal.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { chosenLanguage, languageFor } from "./language.ts";
import { startTheme } from "./theme.ts";
import { startTranslation } from "./translation.ts";

startTheme();
await startTranslation(languageFor(chosenLanguage(), null, navigator.languages));
const root = document.getElementById("root");
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
