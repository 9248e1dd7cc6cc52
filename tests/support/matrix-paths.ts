import { pathParameters, type Route } from "@countersign/contract/manage/route";
import type { FilledOrganization } from "./filled-organization.ts";
import { newId } from "./test-organization.ts";

/** How many things a path names. */
export function namesIn(path: string): number {
  return pathParameters(path).length;
}

export function pathIn(route: Route, organization: FilledOrganization): string {
  return pathWith(route, (name) => organization.idFor(name, route.path));
}

/** The same path, with ids that nothing has. */
export function unknownPath(route: Route): string {
  return pathWith(route, unknownId);
}

/** What the path names first is in this place; what stands below it is somewhere else. */
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

/** Where not every text could be one. */
const unknown: Readonly<Record<string, string>> = {
  version: "99.98.97",
  prefix: "csk_ZZZZZZZZ",
  ip: "2001:db8:ffff:ffff::%2F64",
};

function pathWith(route: Route, idOf: (parameter: string) => string | undefined): string {
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
