export interface BrowserName {
  /** Null where it says nothing that is known. */
  readonly browser: string | null;
  readonly system: string | null;
  readonly isPhone: boolean;
}

/** In this order: many browsers also name those that they are made from. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bVersion\/[\d.]+.*\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows NT\b/, "Windows"],
  [/\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** What a browser says of itself, as people call it. */
export function browserName(userAgent: string | null): BrowserName {
  const text = userAgent ?? "";
  return {
    browser: browsers.find(([sign]) => sign.test(text))?.[1] ?? null,
    system: systems.find(([sign]) => sign.test(text))?.[1] ?? null,
    isPhone: /\b(?:iPhone|Android.*Mobile)\b/.test(text),
  };
}

/** What a passkey that was made here is called until somebody says better. */
export function thisBrowser(): string {
  const { browser, system } = browserName(navigator.userAgent);
  return [browser, system].filter((part) => part !== null).join(", ") || "Passkey";
}
