import qrcode from "qrcode-generator";
import { useMemo } from "react";

/** Cameras need a light margin to find the code. */
const margin = 4;

/** Drawn as one path; black on white in both themes, for cameras. */
export function QrCode({ text, label, size = 196 }: { text: string; label: string; size?: number }) {
  const { side, path } = useMemo(() => drawn(text), [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      width={size}
      height={size}
      viewBox={`0 0 ${side} ${side}`}
      shapeRendering="crispEdges"
    >
      <rect width={side} height={side} rx={2} fill="#fff" />
      <path d={path} fill="#0b1116" />
    </svg>
  );
}

function drawn(text: string): { side: number; path: string } {
  const code = qrcode(0, "M");
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  let path = "";
  for (let row = 0; row < count; row++)
    for (let column = 0; column < count; column++)
      if (code.isDark(row, column)) path += `M${column + margin} ${row + margin}h1v1h-1z`;
  return { side: count + 2 * margin, path };
}
