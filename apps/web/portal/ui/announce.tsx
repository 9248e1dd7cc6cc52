import { useEffect, useSyncExternalStore } from "react";
import classes from "./announce.module.css";

const shownForMs = 6_000;

interface Message {
  readonly text: string;
}

let current: Message | null = null;
const listeners = new Set<() => void>();

/** Shows what was done for a moment, and lets screen readers say it. */
export function announce(text: string): void {
  set({ text });
}

/** Where announcements appear. It is always on the page, because screen readers notice only changes. */
export function Announcements() {
  const message = useSyncExternalStore(listen, () => current);
  useEffect(() => {
    if (message === null) return;
    const timer = setTimeout(() => set(null), shownForMs);
    return () => clearTimeout(timer);
  }, [message]);
  return (
    <div role="status" className={classes.place}>
      {message !== null && <p className={classes.message}>{message.text}</p>}
    </div>
  );
}

function set(message: Message | null): void {
  current = message;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
