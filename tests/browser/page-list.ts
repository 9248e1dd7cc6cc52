import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Examples } from "./examples.ts";

/** Where the pages of each file in `apps/web/routes` begin. */
const bases = {
  "signed-out.ts": "",
  "router.ts": "",
  "account.ts": "/account",
  "platform.ts": "/admin",
  "organization.ts": "/o/$organization",
  "product.ts": "/o/$organization/products/$productId",
};

export interface ListedPage {
  /** With the names of its parameters. */
  readonly path: string;
  /** For users who are not signed in. */
  readonly isOutside: boolean;
}

/** Every page of the dashboard, from its routes, and the root, which redirects to one of them. */
export const pages: readonly ListedPage[] = [{ path: "/", isOutside: false }, ...declaredPages()];

function declaredPages(): ListedPage[] {
  return Object.entries(bases).flatMap(([file, base]) => {
    const text = readFileSync(join(import.meta.dir, "../../apps/web/routes", file), "utf8");
    return [...text.matchAll(/^ *(?:page|tab|signInPage)\(\s*"([^"]+)"/gm)].map(([, path]) => ({
      path: `${base}${path}`.replace(/\/$/, ""),
      isOutside: file === "signed-out.ts",
    }));
  });
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
