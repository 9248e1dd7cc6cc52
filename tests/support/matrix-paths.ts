import { pathParameters, type Route } from "@countersign/contract/api/route";
import type { FilledOrganization } from "./filled-organization.ts";
import { newId } from "./test-organization.ts";

/** How many resources a path names. */
export function namesIn(path: string): number {
  return pathParameters(path).length;
}

export function pathIn(route: Route, organization: FilledOrganization): string {
  return pathWith(route, (name) => organization.idFor(name, route.path));
}

/** The same path with unknown IDs. */
export function unknownPath(route: Route): string {
  return pathWith(route, unknownId);
}

/** The first resource belongs to this organization, and those below it to another. */
export function mixedPath(
  route: Route,
  organization: FilledOrganization,
  elsewhere: (parameter: string) => string | undefined,
): string {
  const [first = ""] = pathParameters(route.path);
  return pathWith(route, (name) => (name === first ? organization.idFor(name, route.path) : elsewhere(name)));
}

export function unknownId(parameter: string): string {
  return unknown[parameter] ?? newId();
}

/** Only for parameters that do not accept every text. */
const unknown: Readonly<Record<string, string>> = {
  version: "99.98.97",
  prefix: "csk_ZZZZZZZZ",
  ip: "2001:db8:ffff:ffff::%2F64",
};

/** The path with an ID for each parameter. */
export function pathWith(route: Route, idOf: (parameter: string) => string | undefined): string {
  let path = route.path;
  for (const parameter of pathParameters(route.path)) {
    const id = idOf(parameter);
    if (id === undefined) {
      throw new Error(
        `${route.method} ${route.path} has a parameter {${parameter}} that the access matrix does not know. ` +
          "Make such a thing in fillOrganization in tests/support/filled-organization.ts and return it from idFor.",
      );
    }
    path = path.replace(`{${parameter}}`, id);
  }
  return path;
}
