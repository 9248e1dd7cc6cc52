import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Examples } from "./examples.ts";

/** Where the routes of a feature begin, by their parent route. */
const bases: Readonly<Record<string, (feature: string) => string>> = {
  organizationRoute: () => "/o/$organization",
  productRoute: () => "/o/$organization/products/$productId",
  frameRoute: (feature) => `/${feature}`,
  accountFrameRoute: () => "/account",
  signedInRoute: () => "",
  authLayoutRoute: () => "",
};

export interface ListedPage {
  /** With the names of its parameters. */
  readonly path: string;
  /** For users who are not signed in. */
  readonly isOutside: boolean;
}

/** Every page of the dashboard, from the routes of its features. */
export const pages: readonly ListedPage[] = routeFiles().flatMap(({ feature, text }) =>
  [...text.matchAll(/getParentRoute: \(\) => (\w+),\s+path: "([^"]+)"/g)].map(([, parent = "", path]) => ({
    path: `${bases[parent]?.(feature)}${path}`.replace(/(?<=.)\/$/, ""),
    isOutside: parent === "authLayoutRoute",
  })),
);

function routeFiles() {
  const features = join(import.meta.dir, "../../apps/web/features");
  return readdirSync(features)
    .sort()
    .map((feature) => ({ feature, file: join(features, feature, "routes.tsx") }))
    .filter(({ file }) => existsSync(file))
    .map(({ feature, file }) => ({ feature, text: readFileSync(file, "utf8") }));
}

/** Pages that are about a link in an email. */
const tokens = /\/(?:reset-password|account\/email)$/;

/** The path of a page with examples in place of its parameters. */
export function pathWith(examples: Examples, path: string): string {
  const filled = path.replaceAll(/(\w+)\/\$\w+/g, (_, resource: keyof Examples) => {
    if (examples[resource] === undefined) throw new Error(`There is no example for ${path}.`);
    return `${resource}/${examples[resource]}`;
  });
  return tokens.test(path) ? `${filled}?token=none` : filled;
}
