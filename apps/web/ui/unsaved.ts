import { createContext, useContext, useEffect, useLayoutEffect, useRef, useState } from "react";

/** What would be lost: words that were typed, a secret that is shown once, or the rest of work that runs here. */
export type UnsavedKind = "typed" | "secret" | "running";

/** One form, or one secret, that is on the page. */
export interface Guard {
  readonly kind: UnsavedKind;
  /** Whether it goes when only what follows the `?` in the address changes. */
  readonly goesWithSearch: boolean;
  isUnsaved(): boolean;
  /** What it holds now may go. */
  release(): void;
}

interface Place {
  readonly pathname: string;
  readonly search: unknown;
}

/** What the way from one address to the next would lose; null for nothing. */
export function lostOnTheWay(guards: Iterable<Guard>, current: Place, next: Place): UnsavedKind | null {
  const isOtherPage = current.pathname !== next.pathname;
  if (!isOtherPage && JSON.stringify(current.search) === JSON.stringify(next.search)) return null;
  return unsavedKind([...guards].filter((guard) => isOtherPage || guard.goesWithSearch));
}

/** The greatest loss first. */
const byLoss: readonly UnsavedKind[] = ["secret", "running", "typed"];

export function unsavedKind(guards: Iterable<Guard>): UnsavedKind | null {
  const kinds = new Set([...guards].filter((guard) => guard.isUnsaved()).map(({ kind }) => kind));
  return byLoss.find((kind) => kinds.has(kind)) ?? null;
}

/** Everything on the page that could be lost. */
export const guards = new Set<Guard>();

let onGuard: (() => void) | null = null;

/** Called once, when there is something to guard. */
export function whenGuarded(listen: () => void): void {
  if (guards.size > 0) listen();
  else onGuard = listen;
}

function listenOnce(): void {
  onGuard?.();
  onGuard = null;
}

/** Asks before the page is left while this runs: for work that goes on only as long as the page is open. */
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

/** A dialog, and what in it could be lost when it closes. */
interface Dialog {
  readonly guards: Set<Guard>;
  /** Closes it; asks first where something would be lost. */
  readonly close: () => void;
}

export const DialogContext = createContext<Dialog | null>(null);

export interface GuardOptions {
  readonly kind?: UnsavedKind;
  /** For a form on a page that shows another part by what follows the `?`; forms in dialogs are such anyway. */
  readonly goesWithSearch?: boolean;
  readonly release?: () => void;
  /** There is never anything to lose. */
  readonly isIdle?: boolean;
}

/** Asks before the page, the dialog around it or the browser loses it. */
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
 * Guards what is typed, compared with `base` or, without one, with what was there first. What was sent is not asked
 * about: whoever saves may be led elsewhere at once.
 */
export function useTyped(typed: unknown, base?: unknown, options: Pick<GuardOptions, "goesWithSearch"> = {}) {
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
