import { useState } from "react";

/** Which licenses are chosen: one by one, or all that the filter finds. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  readonly toggle: (index: number, range: boolean) => void;
  readonly setAllShown: (on: boolean) => void;
  readonly chooseAllThatMatch: () => void;
  readonly clear: () => void;
}

const mostIds = 10_000;

/** `scope` is what the list shows: a choice made among other licenses does not hold for these. */
export function useSelection(scope: string, shown: readonly { readonly id: string }[]): Selection {
  const [state, setState] = useState<State>(nothing(scope));
  if (state.scope !== scope) setState(nothing(scope));
  const set = (ids: Iterable<string>, last: number | null) =>
    setState({ scope, ids: new Set([...ids].slice(0, mostIds)), isAll: false, last });
  return {
    ids: state.ids,
    isAll: state.isAll,
    toggle: (index, range) => {
      const id = shown[index]?.id;
      if (id === undefined) return;
      const ids = new Set(state.isAll ? shown.map((row) => row.id) : state.ids);
      const isOn = !ids.has(id);
      const from = range && state.last !== null ? state.last : index;
      for (const row of shown.slice(Math.min(from, index), Math.max(from, index) + 1)) {
        if (isOn) ids.add(row.id);
        else ids.delete(row.id);
      }
      set(ids, index);
    },
    setAllShown: (on) => set(on ? shown.map(({ id }) => id) : [], null),
    chooseAllThatMatch: () => setState({ ...nothing(scope), isAll: true }),
    clear: () => setState(nothing(scope)),
  };
}

interface State {
  readonly scope: string;
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  /** Where a range begins. */
  readonly last: number | null;
}

function nothing(scope: string): State {
  return { scope, ids: new Set(), isAll: false, last: null };
}
