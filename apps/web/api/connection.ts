import { useSyncExternalStore } from "react";

/** Whether the server answers, and still knows who is signed in. Every call tells; the frame shows it. */
export type Connection = "good" | "lost" | "signed_out";

let now: Connection = "good";
const listeners = new Set<() => void>();

export function setConnection(next: Connection): void {
  if (next === now) return;
  now = next;
  for (const listener of listeners) listener();
}

/** It answered: that it was lost is over, and whoever it greets by name is signed in. */
export function heardFromServer(isGreeted: boolean): void {
  if (now === "lost" || isGreeted) setConnection("good");
}

export function useConnection(): Connection {
  return useSyncExternalStore(listen, () => now);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
