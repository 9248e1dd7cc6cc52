import { type ComponentType, useEffect, useState } from "react";
import { fetchAhead } from "./fetch-ahead.ts";
import { notifyProblem } from "./notify.tsx";

/**
 * A dialog whose code is loaded when it is first opened, so that the page does not wait for it. The button that opens it
 * uses `near` to start loading on hover.
 */
export function onDemand<Props extends Openable>(load: Load<Props>) {
  return Object.assign((props: Props) => <Fetched load={load} props={props} />, {
    near: prefetchOnHover(load),
  });
}

/** For a button that opens a dialog which is loaded on demand. */
export function prefetchOnHover(load: () => Promise<unknown>) {
  const fetch = () => void fetchAhead(load);
  return { onPointerEnter: fetch, onFocus: fetch };
}

interface Openable {
  readonly opened: boolean;
  readonly onClose: () => void;
}

type Load<Props> = () => Promise<ComponentType<Props>>;

function Fetched<Props extends Openable>({ load, props }: { load: Load<Props>; props: Props }) {
  const { opened, onClose } = props;
  const [part, setPart] = useState<{ readonly Window: ComponentType<Props> } | null>(null);
  const [isDrawn, setDrawn] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new close handler is no reason to load it again.
  useEffect(() => {
    if (!opened || part !== null) return;
    load().then(
      (Window) => setPart({ Window }),
      (error) => {
        onClose();
        notifyProblem(error);
      },
    );
  }, [opened, part]);
  // Rendered closed at first: a dialog that starts open cannot return the focus.
  useEffect(() => setDrawn(part !== null), [part]);
  return part === null ? null : <part.Window {...props} opened={opened && isDrawn} />;
}
