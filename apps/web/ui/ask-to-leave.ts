import i18next from "i18next";
import { useSyncExternalStore } from "react";
import { type Guard, type UnsavedKind, unsavedKind } from "./unsaved.ts";

interface Question {
  readonly kind: UnsavedKind;
  readonly answer: (isLeaving: boolean) => void;
}

let question: Question | null = null;
/** Escape closes the question, and every window beneath it hears the same key. */
let isJustAnswered = false;
let canAsk = false;
const listeners = new Set<() => void>();

/** Asks whether what is unsaved may be lost. */
export function askToLeave(kind: UnsavedKind): Promise<boolean> {
  if (question !== null || isJustAnswered) return Promise.resolve(false);
  // Its window could not be fetched: better a plain question than none.
  if (!canAsk) return Promise.resolve(window.confirm(i18next.t(`unsaved.${kind}.words`)));
  return new Promise((done) => {
    show({
      kind,
      answer: (isLeaving) => {
        isJustAnswered = true;
        setTimeout(() => {
          isJustAnswered = false;
        });
        show(null);
        done(isLeaving);
      },
    });
  });
}

/** Closes a dialog; asks first where something in it is unsaved. */
export async function closeAfterAsking(inside: ReadonlySet<Guard>, close: () => void): Promise<void> {
  // Closed by its own button after a key that meant the question.
  if (question !== null || isJustAnswered) return;
  const kind = unsavedKind(inside);
  if (kind !== null) {
    if (!(await askToLeave(kind))) return;
    for (const guard of inside) guard.release();
  }
  close();
}

export function useQuestion(): Question | null {
  return useSyncExternalStore(
    (listen) => {
      listeners.add(listen);
      return () => listeners.delete(listen);
    },
    () => question,
  );
}

/** Called when the window that asks is there. */
export function questionIsReady(): void {
  canAsk = true;
}

function show(next: Question | null): void {
  question = next;
  for (const listen of listeners) listen();
}
