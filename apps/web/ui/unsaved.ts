import { createContext, useContext, useEffect, useLayoutEffect, useRef, useState } from "react";

/** What would be lost: words that were typed, or a secret that is shown once. */
export type UnsavedKind = "typed" | "secret";

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

/** What the way from one address to the next would lose; null for nothing. A secret is the greater loss. */
export function lostOnTheWay(guards: Iterable<Guard>, current: Place, next: Place): UnsavedKind | null {
  const isOtherPage = current.pathname !== next.pathname;
  if (!isOtherPage && JSON.stringify(current.search) === JSON.stringify(next.search)) return null;
  return unsavedKind([...guards].filter((guard) => isOtherPage || guard.goesWithSearch));
}

export function unsavedKind(guards: Iterable<Guard>): UnsavedKind | null {
  const kinds = new Set([...guards].filter((guard) => guard.isUnsaved()).map(({ kind }) => kind));
  return kinds.has("secret") ? "secret" : kinds.has("typed") ? "typed" : null;
}

/** Everything on the page that could be lost. */
export const guards = new Set<Guard>();

let onGuard: (() => void) | null = null;

/** Called once, when there is something to guard. */
export function whenGuarded(listen: () => void): void {
  if (guards.size > 0) listen();
  else onGuard = listen;
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
    onGuard?.();
    onGuard = null;
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
