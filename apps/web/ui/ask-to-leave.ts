import i18next from "i18next";
import { useSyncExternalStore } from "react";
import { type Guard, type UnsavedKind, unsavedKind } from "./unsaved.ts";

interface Question {
  readonly kind: UnsavedKind;
  readonly answer: (isLeaving: boolean) => void;
  /** Escape or a click outside: the same as staying. */
  readonly dismiss: () => void;
}

let question: Question | null = null;
/**
 * The key press or click that last asked or answered. Every open dialog gets the same event, in the order in which they
 * were loaded, and only the first of them may react to it.
 */
let usedEvent: Event | undefined;
let canAsk = false;
const listeners = new Set<() => void>();

/** Asks whether unsaved changes can be discarded. */
export function askToLeave(kind: UnsavedKind): Promise<boolean> {
  if (question !== null || isUsedEvent()) return Promise.resolve(false);
  // The dialog could not be loaded: fall back to the browser's own.
  if (!canAsk) return Promise.resolve(window.confirm(i18next.t(`unsaved.${kind}.words`)));
  return new Promise((done) => {
    const answer = (isLeaving: boolean) => {
      usedEvent = window.event;
      show(null);
      done(isLeaving);
    };
    const dismiss = () => {
      if (!isUsedEvent()) answer(false);
    };
    usedEvent = window.event;
    show({ kind, answer, dismiss });
  });
}

/** Closes a dialog, after asking if it has unsaved changes. */
export async function closeAfterAsking(inside: ReadonlySet<Guard>, close: () => void): Promise<void> {
  // The key event was meant for the question, not for the dialog.
  if (question !== null || isUsedEvent()) return;
  const kind = unsavedKind(inside);
  if (kind !== null) {
    if (!(await askToLeave(kind))) return;
    for (const guard of inside) guard.release();
  }
  close();
}

export function useLeaveQuestion(): Question | null {
  return useSyncExternalStore(
    (listen) => {
      listeners.add(listen);
      return () => listeners.delete(listen);
    },
    () => question,
  );
}

/** Called when the dialog has loaded. */
export function leaveQuestionLoaded(): void {
  canAsk = true;
}

function isUsedEvent(): boolean {
  return usedEvent !== undefined && usedEvent === window.event;
}

function show(next: Question | null): void {
  question = next;
  for (const listen of listeners) listen();
}
