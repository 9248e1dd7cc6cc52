import i18next from "i18next";
import {
  createContext,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";

/** What would be lost: typed input, a secret that is shown once, or the rest of a running task. */
export type UnsavedKind = "typed" | "secret" | "running";

/** A form, a secret or a task on the page. */
export interface Guard {
  readonly kind: UnsavedKind;
  /** Whether a change of the query string alone removes it. */
  readonly goesWithSearch: boolean;
  isUnsaved(): boolean;
  /** Its current content can be discarded. */
  release(): void;
}

interface Place {
  readonly pathname: string;
  readonly search: unknown;
}

/** What a navigation would discard; null for nothing. */
export function discardedByNavigation(
  guards: Iterable<Guard>,
  current: Place,
  next: Place,
): UnsavedKind | null {
  const isOtherPage = current.pathname !== next.pathname;
  if (!isOtherPage && JSON.stringify(current.search) === JSON.stringify(next.search)) return null;
  return unsavedKind([...guards].filter((guard) => isOtherPage || guard.goesWithSearch));
}

/** The most important first. */
const byLoss: readonly UnsavedKind[] = ["secret", "running", "typed"];

export function unsavedKind(guards: Iterable<Guard>): UnsavedKind | null {
  const kinds = new Set([...guards].filter((guard) => guard.isUnsaved()).map(({ kind }) => kind));
  return byLoss.find((kind) => kinds.has(kind)) ?? null;
}

/** Everything on the page that could be discarded. */
export const guards = new Set<Guard>();

let onGuard: (() => void) | null = null;

/** Called once, when there is something to guard. */
export function onFirstGuard(listen: () => void): void {
  if (guards.size > 0) listen();
  else onGuard = listen;
}

function listenOnce(): void {
  onGuard?.();
  onGuard = null;
}

/** Asks before leaving the page while `work` runs: for tasks that stop when the page closes. */
export async function whileRunning<T>(work: () => Promise<T>): Promise<T> {
  const guard: Guard = {
    kind: "running",
    goesWithSearch: false,
    isUnsaved: () => true,
    release: () => guards.delete(guard),
  };
  guards.add(guard);
  listenOnce();
  try {
    return await work();
  } finally {
    guards.delete(guard);
  }
}

/** A dialog, and what closing it could discard. */
interface Dialog {
  readonly guards: Set<Guard>;
  /** Closes it, after asking if something would be discarded. */
  readonly close: () => void;
}

export const DialogContext = createContext<Dialog | null>(null);

interface GuardOptions {
  readonly kind?: UnsavedKind;
  /** For a form on a page that changes with the query string. Always true for forms in dialogs. */
  readonly goesWithSearch?: boolean;
  readonly release?: () => void;
  /** There is nothing to guard. */
  readonly isIdle?: boolean;
}

/** Asks before the page, the surrounding dialog or the browser discards it. */
export function useGuard(isUnsaved: () => boolean, options: GuardOptions = {}): void {
  const dialog = useContext(DialogContext);
  const { kind = "typed", goesWithSearch = false, isIdle = false } = options;
  const latest = useRef({ isUnsaved, options });
  useLayoutEffect(() => {
    latest.current = { isUnsaved, options };
  });
  useEffect(() => {
    if (isIdle) return;
    const guard: Guard = {
      kind,
      goesWithSearch: goesWithSearch || dialog !== null,
      isUnsaved: () => latest.current.isUnsaved(),
      release: () => latest.current.options.release?.(),
    };
    guards.add(guard);
    dialog?.guards.add(guard);
    listenOnce();
    return () => {
      guards.delete(guard);
      dialog?.guards.delete(guard);
    };
  }, [dialog, kind, goesWithSearch, isIdle]);
}

/**
 * Guards typed input, compared with `base` or, without one, with the initial input. Input that was sent is not guarded,
 * because saving may lead to another page immediately.
 */
export function useUnsavedInput(
  typed: unknown,
  base?: unknown,
  options: Pick<GuardOptions, "goesWithSearch"> = {},
) {
  const text = JSON.stringify(typed);
  const [first] = useState(text);
  const start = base === undefined ? first : JSON.stringify(base);
  const free = useRef<string | null>(null);
  const release = () => {
    free.current = text;
  };
  const isIdle = typed === null && base === undefined;
  useGuard(() => text !== start && text !== free.current, { ...options, release, isIdle });
  return {
    sent: release,
    refused: () => {
      free.current = null;
    },
  };
}

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
