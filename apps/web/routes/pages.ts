import {
  type AnyRoute,
  createRoute,
  lazyRouteComponent,
  type ResolveFullPath,
  type ResolveId,
  type Route,
} from "@tanstack/react-router";

/**
 * Returns the function that declares a page below a route: its path, its module, which is loaded when it is opened, the
 * component's name in it, and what its URL may contain after the question mark.
 *
 * Each route is a constant, or in a constant array: created inside `addChildren`, it gets the type any, and with it the
 * whole tree, so that no link is checked.
 */
export function pagesBelow<Parent extends AnyRoute>(
  parent: Parent,
  beforeLoad?: BeforeLoad,
): DeclarePage<Parent> {
  return (path: string, load: () => Promise<object>, component: string, search?: Search) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      ...(beforeLoad === undefined ? {} : { beforeLoad }),
      ...(search === undefined ? {} : { validateSearch: validatorOf(search) }),
      component: lazyRouteComponent(load as () => Promise<Record<string, () => null>>, component),
    } as never) as never;
}

interface DeclarePage<Parent extends AnyRoute> {
  <const Path extends string, Module>(
    path: Path,
    load: () => Promise<Module>,
    component: keyof Module & string,
  ): PageRoute<Parent, Path, undefined>;

  <const Path extends string, Module, Validator extends (search: UrlSearch) => object>(
    path: Path,
    load: () => Promise<Module>,
    component: keyof Module & string,
    search: Validator,
  ): PageRoute<Parent, Path, Validator>;

  <const Path extends string, Module, Values>(
    path: Path,
    load: () => Promise<Module>,
    component: keyof Module & string,
    search: { readonly [Name in keyof Values]: (value: unknown) => Values[Name] },
  ): PageRoute<Parent, Path, (search: UrlSearch) => { [Name in keyof Values]?: Values[Name] }>;
}

type PageRoute<Parent extends AnyRoute, Path extends string, Validator> = Route<
  unknown,
  Parent,
  Path,
  ResolveFullPath<Parent, Path>,
  string,
  ResolveId<Parent, string, Path>,
  Validator
>;

type UrlSearch = Record<string, unknown>;

/** Runs before the page is loaded, and may redirect. */
type BeforeLoad = (context: { search: UrlSearch }) => Promise<void>;

/** What reads each parameter, or all of them if they depend on each other. What has no valid value is undefined. */
type Search = Readonly<Record<string, (value: unknown) => unknown>> | ((search: UrlSearch) => object);

function validatorOf(search: Search): (search: UrlSearch) => object {
  if (typeof search === "function") return search;
  const parameters = Object.entries(search);
  return (values) => Object.fromEntries(parameters.map(([name, read]) => [name, read(values[name])]));
}

export const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** The router parses text of digits as a number. */
export const textOrNumber = (value: unknown): string | undefined =>
  text(typeof value === "number" ? String(value) : value);

export const textOrEmpty = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;

export const isTrue = (value: unknown): true | undefined => value === true || undefined;

export function oneOf<const T extends string | number>(allowed: readonly T[]) {
  return (value: unknown): T | undefined => allowed.find((known) => known === value);
}
