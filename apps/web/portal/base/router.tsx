import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from "react";

/** Empty if the portal has its own host, otherwise `/portal`. */
const base = document.querySelector<HTMLMetaElement>('meta[name="portal-base"]')?.content ?? "";

const listeners = new Set<() => void>();
let hasChanged = false;

/** The path below the portal's base, without query and fragment. */
export function usePath(): string {
  return useSyncExternalStore(listen, currentPath);
}

/** Whether the page changed since it was loaded. The first page does not take the focus. */
export function hasChangedPage(): boolean {
  return hasChanged;
}

/** Signing in or out shows another page at the same URL. */
export function pageChanges(): void {
  hasChanged = true;
}

export function navigate(path: string, { replaces = false } = {}): void {
  if (replaces) history.replaceState(null, "", base + path);
  else history.pushState(null, "", base + path);
  window.scrollTo(0, 0);
  changed();
}

/** The URL of a page of the portal, for links and for services that send the person back. */
export function urlOf(path: string): string {
  return base + path;
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly to: string;
}

/** A link within the portal. */
export function Link({ to, onClick, ...rest }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (event.defaultPrevented || event.button !== 0 || opensElsewhere) return;
    event.preventDefault();
    navigate(to);
  };
  return <a href={urlOf(to)} onClick={follow} {...rest} />;
}

function currentPath(): string {
  const { pathname } = window.location;
  const isBelow = pathname === base || pathname.startsWith(`${base}/`);
  return (isBelow ? pathname.slice(base.length) : pathname) || "/";
}

function changed(): void {
  pageChanges();
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener("popstate", changed);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener("popstate", changed);
  };
}
