import { pathParameters, type Route } from "@countersign/contract/manage/route";
import type { Belongings } from "./belongings.ts";
import { newId } from "./seller.ts";

/** How many things a path names. */
export function namesIn(path: string): number {
  return pathParameters(path).length;
}

export function addressIn(route: Route, place: Belongings): string {
  return address(route, (name) => place.idFor(name, route.path));
}

/** The same path, with ids that nothing has. */
export function addressNowhere(route: Route): string {
  return address(route, unknownId);
}

/** What the path names first is in this place; what stands below it is somewhere else. */
export function addressMixed(
  route: Route,
  place: Belongings,
  elsewhere: (parameter: string) => string | undefined,
): string {
  const [first = ""] = pathParameters(route.path);
  return address(route, (name) => (name === first ? place.idFor(name, route.path) : elsewhere(name)));
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

function address(route: Route, idOf: (parameter: string) => string | undefined): string {
  let path = route.path;
  for (const parameter of pathParameters(route.path)) {
    const id = idOf(parameter);
    if (id === undefined) {
      throw new Error(
        `${route.method} ${route.path} has a parameter {${parameter}} that the access matrix does not know. ` +
          "Make such a thing in fillOrganization in tests/support/belongings.ts and return it from idFor.",
      );
    }
    path = path.replace(`{${parameter}}`, id);
  }
  return path;
}
