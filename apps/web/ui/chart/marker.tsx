import classes from "./chart.module.css";
import type { Tone } from "./series.ts";

interface MarkerProps {
  readonly tone: Tone;
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

/** A shape that belongs to a tone: circle, square, diamond or triangle. */
export function Marker({ tone, x, y, size }: MarkerProps) {
  const shape = typeof tone === "number" ? tone % 4 : 0;
  if (shape === 0) return <circle className={classes.marker} cx={x} cy={y} r={size} />;
  const far = size * 1.3;
  const points = [
    [],
    [
      [-size, -size],
      [size, -size],
      [size, size],
      [-size, size],
    ],
    [
      [0, -far],
      [far, 0],
      [0, far],
      [-far, 0],
    ],
    [
      [0, -far],
      [far, size],
      [-far, size],
    ],
  ][shape];
  return (
    <polygon
      className={classes.marker}
      points={points?.map(([dx = 0, dy = 0]) => `${x + dx},${y + dy}`).join(" ")}
    />
  );
}
