import { Skeleton } from "@mantine/core";
import { type ComponentType, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
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

let underWay = 0;

/** Prefetches what may be needed soon. A failure is reported only when it is needed. */
async function fetchAhead(load: () => Promise<unknown>): Promise<void> {
  underWay += 1;
  try {
    await load();
  } catch {
    // Loaded again, with error handling, when it is needed.
  } finally {
    underWay -= 1;
  }
}

export function isFetchingAhead(): boolean {
  return underWay > 0;
}

interface WhenNearProps {
  /** The height of its place until it is rendered. */
  readonly height: number;
  readonly children: ReactNode;
}

/** Renders what is further down a page once the user scrolls to it, so that its code is not loaded with the page. */
export function WhenNear({ height, children }: WhenNearProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (place.current === null) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  if (!isNear) return <div ref={place} style={{ minHeight: height }} />;
  return <Suspense fallback={<Skeleton height={height} />}>{children}</Suspense>;
}
