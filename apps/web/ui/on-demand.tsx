import { type ComponentType, useEffect, useState } from "react";
import { fetchAhead } from "./fetch-ahead.ts";
import { tellProblem } from "./tell.tsx";

/**
 * A window whose script is fetched when it is first opened: the page beneath does not wait for it. What opens it takes
 * `near`, so that the fetching begins when a hand comes close.
 */
export function onDemand<Props extends Openable>(load: Load<Props>) {
  return Object.assign((props: Props) => <Fetched load={load} props={props} />, { near: nearOf(load) });
}

/** For a button that opens what is fetched on demand. */
export function nearOf(load: () => Promise<unknown>) {
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: how it is closed is no reason to fetch it again.
  useEffect(() => {
    if (!opened || part !== null) return;
    load().then(
      (Window) => setPart({ Window }),
      (error) => {
        onClose();
        tellProblem(error);
      },
    );
  }, [opened, part]);
  // Drawn closed at first: what is open from the start does not know where the focus was, to give it back.
  useEffect(() => setDrawn(part !== null), [part]);
  return part === null ? null : <part.Window {...props} opened={opened && isDrawn} />;
}
