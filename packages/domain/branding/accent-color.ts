type CheckedAccentColor =
  | { readonly ok: true; readonly color: string }
  | { readonly ok: false; readonly fault: AccentColorFault };

type AccentColorFault =
  | { readonly code: "accent_color_invalid" }
  | { readonly code: "accent_contrast_too_low"; readonly suggestion: string };

/** WCAG 2.2, level AA, for text of normal size. */
export const minContrast = 4.5;

/**
 * The accent colour of an organization, in lower case. The portal puts white text on it and uses it for links on a
 * white page, so it needs contrast with white. A lighter colour is refused with the nearest darker one of the same hue
 * and saturation that has enough.
 */
export function checkAccentColor(text: string): CheckedAccentColor {
  const color = parseColor(text);
  if (color === null) return { ok: false, fault: { code: "accent_color_invalid" } };
  if (contrast(color, white) >= minContrast) return { ok: true, color: formatColor(color) };
  return {
    ok: false,
    fault: { code: "accent_contrast_too_low", suggestion: formatColor(darkened(color)) },
  };
}

interface DarkModeAccent {
  /** For links on the page and as the background of buttons. */
  readonly color: string;
  /** For text on `color`. */
  readonly textColor: "#000000" | "#ffffff";
}

/**
 * The accent colour for dark mode: the colour itself if it has enough contrast with the page's background, otherwise the
 * nearest lighter one of the same hue. Both arguments are valid colours, and white has enough contrast with the
 * background.
 */
export function darkModeAccent(accent: string, pageBackground: string): DarkModeAccent {
  const color = parseColor(accent);
  const background = parseColor(pageBackground);
  if (color === null || background === null) throw new RangeError("A colour must have the form #rrggbb.");
  if (contrast(white, background) < minContrast)
    throw new RangeError(
      `White text on ${pageBackground} has too little contrast; choose a darker background.`,
    );
  const lightened = lightenedOn(color, background);
  const textColor = contrast(lightened, black) >= contrast(lightened, white) ? "#000000" : "#ffffff";
  return { color: formatColor(lightened), textColor };
}

interface Color {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

/** Accepts `#rrggbb` and nothing else: no short form, no alpha, no names. */
export function parseColor(text: string): Color | null {
  if (!/^#[0-9a-f]{6}$/i.test(text)) return null;
  const number = Number.parseInt(text.slice(1), 16);
  return { red: number >> 16, green: (number >> 8) & 255, blue: number & 255 };
}

/** The contrast ratio of WCAG 2.2, from 1 to 21. */
export function contrast(a: Color, b: Color): number {
  const [darker, lighter] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

const white: Color = { red: 255, green: 255, blue: 255 };
const black: Color = { red: 0, green: 0, blue: 0 };

/** Scaling all channels alike keeps hue and saturation. */
function darkened(color: Color): Color {
  const brightest = Math.max(color.red, color.green, color.blue);
  for (let level = brightest; level > 0; level--) {
    const candidate = mapChannels(color, (channel) => Math.round((channel * level) / brightest));
    if (contrast(candidate, white) >= minContrast) return candidate;
  }
  return black;
}

/** Mixing with white keeps the hue. */
function lightenedOn(color: Color, background: Color): Color {
  for (let step = 0; step < 255; step++) {
    const candidate = mapChannels(color, (channel) => channel + Math.round(((255 - channel) * step) / 255));
    if (contrast(candidate, background) >= minContrast) return candidate;
  }
  return white;
}

function mapChannels(color: Color, change: (channel: number) => number): Color {
  return { red: change(color.red), green: change(color.green), blue: change(color.blue) };
}

function luminance({ red, green, blue }: Color): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(channel: number): number {
  const part = channel / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function formatColor({ red, green, blue }: Color): string {
  return `#${((red << 16) | (green << 8) | blue).toString(16).padStart(6, "0")}`;
}

/**
 * The lightest background of the portal's dark pages. A color that is readable on it is readable on all of them.
 */
export const lightestDarkSurface = "#1f2831";
