import { useSyncExternalStore } from "react";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

const saved = "countersign.portal.theme";
const listeners = new Set<() => void>();

/** Applies the theme that was chosen on this device. */
export function startTheme(): void {
  apply(currentTheme());
}

export function useTheme(): Theme {
  return useSyncExternalStore(listen, currentTheme);
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(saved);
  else localStorage.setItem(saved, theme);
  apply(theme);
  for (const listener of listeners) listener();
}

function currentTheme(): Theme {
  const chosen = localStorage.getItem(saved);
  return themes.find((theme) => theme === chosen) ?? "system";
}

function apply(theme: Theme): void {
  document.documentElement.style.colorScheme = theme === "system" ? "light dark" : theme;
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
