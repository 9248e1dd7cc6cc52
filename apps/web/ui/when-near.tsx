import { Skeleton } from "@mantine/core";
import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";

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
