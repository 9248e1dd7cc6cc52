import { useCallback, useLayoutEffect, useRef, useState } from "react";

/** The selected licenses: individual ones, or all that match the filter. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  readonly toggle: (index: number, range: boolean) => void;
  readonly setAllShown: (on: boolean) => void;
  readonly chooseAllThatMatch: () => void;
  readonly clear: () => void;
}

const maxIds = 10_000;

/** `scope` identifies the listed licenses: a selection applies only to the list it was made in. */
export function useSelection(scope: string, shown: Shown): Selection {
  const [state, setState] = useState<State>(nothing(scope));
  if (state.scope !== scope) setState(nothing(scope));
  const latest = useRef(shown);
  useLayoutEffect(() => {
    latest.current = shown;
  });
  // Stable, because rows rerender when it changes.
  const toggle = useCallback((index: number, range: boolean) => {
    setState((before) => toggled(before, latest.current, index, range));
  }, []);
  return {
    ids: state.ids,
    isAll: state.isAll,
    toggle,
    setAllShown: (on) => setState({ ...nothing(scope), ids: idsOf(on ? shown : []) }),
    chooseAllThatMatch: () => setState({ ...nothing(scope), isAll: true }),
    clear: () => setState(nothing(scope)),
  };
}

type Shown = readonly { readonly id: string }[];

interface State {
  readonly scope: string;
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  /** The start of a range. */
  readonly last: number | null;
}

function nothing(scope: string): State {
  return { scope, ids: new Set(), isAll: false, last: null };
}

function toggled(state: State, shown: Shown, index: number, range: boolean): State {
  const id = shown[index]?.id;
  if (id === undefined) return state;
  const ids = new Set(state.isAll ? idsOf(shown) : state.ids);
  const isOn = !ids.has(id);
  const from = range && state.last !== null ? state.last : index;
  for (const row of shown.slice(Math.min(from, index), Math.max(from, index) + 1)) {
    if (isOn) ids.add(row.id);
    else ids.delete(row.id);
  }
  return { ...state, ids: new Set([...ids].slice(0, maxIds)), isAll: false, last: index };
}

function idsOf(shown: Shown): ReadonlySet<string> {
  return new Set(shown.slice(0, maxIds).map(({ id }) => id));
}
