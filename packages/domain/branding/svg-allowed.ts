/** Elements that draw on their own. */
export const shapes: ReadonlySet<string> = new Set([
  ...["path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text"],
]);

const containers = ["svg", "g", "defs", "symbol", "clipPath", "mask"];

export const gradients: ReadonlySet<string> = new Set(["linearGradient", "radialGradient"]);

/** The only elements whose text is kept. */
export const textElements: ReadonlySet<string> = new Set(["text", "tspan", "title", "desc"]);

export const allowedElements: ReadonlySet<string> = new Set([
  ...containers,
  ...shapes,
  ...gradients,
  ...textElements,
  ...["stop", "use"],
]);

/** Not kept, but their children are: drawing programs wrap whole pictures in them. */
export const unwrappedElements: ReadonlySet<string> = new Set(["a", "switch"]);

/** The attributes whose value may contain `url(#id)`. */
export const referringProperties: ReadonlySet<string> = new Set(["fill", "stroke", "clip-path", "mask"]);

/** Properties that are allowed as attributes and in `style`. None of them can load or run anything. */
export const allowedProperties: ReadonlySet<string> = new Set([
  ...referringProperties,
  ...["color", "color-interpolation", "display", "visibility", "opacity", "overflow", "paint-order"],
  ...["clip-rule", "fill-opacity", "fill-rule", "mask-type", "stop-color", "stop-opacity", "vector-effect"],
  ...["stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit"],
  ...["stroke-opacity", "stroke-width", "shape-rendering", "text-rendering"],
  ...["font-family", "font-size", "font-stretch", "font-style", "font-variant", "font-weight"],
  ...[
    "alignment-baseline",
    "baseline-shift",
    "direction",
    "dominant-baseline",
    "letter-spacing",
    "text-anchor",
  ],
  ...["text-decoration", "unicode-bidi", "word-spacing", "writing-mode"],
]);

/** Properties that exist only in `style`. */
export const allowedInStyle: ReadonlySet<string> = new Set([
  ...allowedProperties,
  ...["isolation", "mix-blend-mode", "transform", "transform-box", "transform-origin"],
]);

/** Attributes beside the properties, `id`, `href` and `style`. */
export const allowedAttributes: ReadonlySet<string> = new Set([
  ...allowedProperties,
  ...["x", "y", "x1", "y1", "x2", "y2", "dx", "dy", "cx", "cy", "r", "rx", "ry", "fx", "fy", "fr"],
  ...["width", "height", "viewBox", "preserveAspectRatio", "transform", "d", "points", "pathLength"],
  ...["clipPathUnits", "gradientTransform", "gradientUnits", "maskContentUnits", "maskUnits", "offset"],
  ...["spreadMethod", "lengthAdjust", "rotate", "textLength", "refX", "refY"],
]);
