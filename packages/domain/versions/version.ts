/** Missing parts are 0. Build metadata is parsed and ignored: no rule uses it. */
export interface Version {
  readonly parts: readonly [number, number, number, number];
  readonly prerelease: readonly (number | string)[];
}

/** Longer versions are rejected immediately, so that no input can cost more than a short scan. */
export const maxVersionLength = 64;

export function parseVersion(text: string): Version | null {
  if (text.length > maxVersionLength) return null;
  const trimmed = text.trim();
  const plus = trimmed.indexOf("+");
  if (plus >= 0 && !isBuild(trimmed, plus + 1)) return null;
  const end = plus < 0 ? trimmed.length : plus;

  const hyphen = trimmed.indexOf("-");
  const hasPrerelease = hyphen >= 0 && hyphen < end;
  const parts = readParts(trimmed, startOfParts(trimmed), hasPrerelease ? hyphen : end);
  if (parts === null) return null;
  if (!hasPrerelease) return { parts, prerelease: noPrerelease };
  const prerelease = readPrerelease(trimmed.slice(hyphen + 1, end));
  return prerelease === null ? null : { parts, prerelease };
}

/** SemVer precedence, with a fourth part after the patch. */
export function compareVersions(a: Version, b: Version): -1 | 0 | 1 {
  return compareParts(a, b) || comparePrereleases(a.prerelease, b.prerelease);
}

export function compareParts(a: Version, b: Version): -1 | 0 | 1 {
  return (
    order(a.parts[0], b.parts[0]) ||
    order(a.parts[1], b.parts[1]) ||
    order(a.parts[2], b.parts[2]) ||
    order(a.parts[3], b.parts[3])
  );
}

/** Equal for two versions exactly if they compare as equal. */
export function versionKey({ parts, prerelease }: Version): string {
  const numbers = `${parts[0]}.${parts[1]}.${parts[2]}.${parts[3]}`;
  return prerelease.length === 0 ? numbers : `${numbers}-${prerelease.join(".")}`;
}

/** Where the numbers start: many release tags are written `v2.1`. */
export function startOfParts(text: string): 0 | 1 {
  return (text.charCodeAt(0) | 32) === emailV ? 1 : 0;
}

/** Fifteen digits hold a build date to the second and are always exact as a number. */
const maxDigits = 15;

const noPrerelease: readonly never[] = [];
const dot = 46;
const hyphenCode = 45;
const emailV = 118;

/** Leading zeros are accepted, unlike in SemVer, because calendar versions such as 2026.03.01 contain them. */
export function readParts(text: string, start: number, end: number): Version["parts"] | null {
  const parts: [number, number, number, number] = [0, 0, 0, 0];
  let count = 0;
  let digits = 0;
  let part = 0;
  for (let position = start; position <= end; position++) {
    const code = position === end ? dot : text.charCodeAt(position);
    if (isDigit(code)) {
      part = part * 10 + code - 48;
      digits++;
      if (digits > maxDigits) return null;
    } else {
      if (code !== dot || digits === 0 || count === 4) return null;
      parts[count++] = part;
      part = 0;
      digits = 0;
    }
  }
  return parts;
}

function readPrerelease(text: string): (number | string)[] | null {
  const identifiers: (number | string)[] = [];
  for (const identifier of text.split(".")) {
    const kind = identifierKind(identifier, 0, identifier.length);
    if (kind === "invalid") return null;
    if (kind === "text") {
      identifiers.push(identifier);
      continue;
    }
    const hasLeadingZero = identifier.length > 1 && identifier.startsWith("0");
    if (hasLeadingZero || identifier.length > maxDigits) return null;
    identifiers.push(Number(identifier));
  }
  return identifiers;
}

function isBuild(text: string, start: number): boolean {
  for (let from = start; ; ) {
    const nextDot = text.indexOf(".", from);
    const end = nextDot < 0 ? text.length : nextDot;
    if (identifierKind(text, from, end) === "invalid") return false;
    if (nextDot < 0) return true;
    from = nextDot + 1;
  }
}

function identifierKind(text: string, start: number, end: number): "number" | "text" | "invalid" {
  let kind: "number" | "text" = "number";
  for (let position = start; position < end; position++) {
    const code = text.charCodeAt(position);
    if (isDigit(code)) continue;
    const lower = code | 32;
    if (code !== hyphenCode && !(lower >= 97 && lower <= 122)) return "invalid";
    kind = "text";
  }
  return start < end ? kind : "invalid";
}

function comparePrereleases(a: Version["prerelease"], b: Version["prerelease"]): -1 | 0 | 1 {
  if (a.length === 0 || b.length === 0) return order(b.length, a.length);
  for (let index = 0; ; index++) {
    const left = a[index];
    const right = b[index];
    if (left === undefined || right === undefined) return order(a.length, b.length);
    const difference = compareIdentifiers(left, right);
    if (difference !== 0) return difference;
  }
}

function compareIdentifiers(a: number | string, b: number | string): -1 | 0 | 1 {
  if (typeof a === "number") return typeof b === "number" ? order(a, b) : -1;
  return typeof b === "number" ? 1 : order(a, b);
}

function order<T extends number | string>(a: T, b: T): -1 | 0 | 1 {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
