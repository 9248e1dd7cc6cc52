/** The paths of the portal's pages, below its base. */
export const paths = {
  licenses: "/",
  license: "/licenses/:licenseId",
  transfers: "/transfers",
  account: "/account",
  /** From an app: `#` and the license key. */
  open: "/open",
  /** Where Discord sends people back to if signing in failed. */
  signIn: "/sign-in",
  /** From an email: `#` and the token of the link. */
  link: "/sign-in/link",
} as const;

export type PageName = keyof typeof paths;

export interface Found {
  readonly name: PageName;
  readonly params: Readonly<Record<string, string>>;
}

/** The page at a path, or null if there is none. */
export function pageAt(path: string): Found | null {
  const parts = partsOf(path);
  for (const [name, pattern] of Object.entries(paths)) {
    const wanted = partsOf(pattern);
    if (wanted.length !== parts.length) continue;
    const params: Record<string, string> = {};
    const fits = wanted.every((part, index) => {
      const given = parts[index] ?? "";
      if (!part.startsWith(":")) return part === given;
      params[part.slice(1)] = given;
      return given !== "";
    });
    if (fits) return { name: name as PageName, params };
  }
  return null;
}

/** The path of a page. */
export function pathOf(name: PageName, params: Readonly<Record<string, string>> = {}): string {
  return paths[name].replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ""));
}

function partsOf(path: string): string[] {
  return path
    .split("/")
    .filter((part) => part !== "")
    .map(decoded);
}

/** A path that a person mistyped need not be valid. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
