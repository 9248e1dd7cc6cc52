import { useSyncExternalStore } from "react";

/** Whether the server responds and the session is still valid. Every call updates it; the shell shows it. */
type Connection = "good" | "lost" | "signed_out";

let now: Connection = "good";
const listeners = new Set<() => void>();

export function setConnection(next: Connection): void {
  if (next === now) return;
  now = next;
  for (const listener of listeners) listener();
}

/** The server responded, so it is reachable again. If it returned the user, the session is valid. */
export function serverResponded(isGreeted: boolean): void {
  if (now === "lost" || isGreeted) setConnection("good");
}

export function useConnection(): Connection {
  return useSyncExternalStore(listen, () => now);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
