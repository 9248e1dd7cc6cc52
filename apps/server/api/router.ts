import type { BoundRoute } from "./context.ts";
import { isUnstorable } from "./input.ts";

interface Node {
  readonly fixed: Map<string, Node>;
  any: { readonly name: string; readonly node: Node } | null;
  readonly routes: Map<string, BoundRoute>;
}

type Match =
  | { readonly found: true; readonly bound: BoundRoute; readonly params: Record<string, string> }
  /** The methods of the path; none if there is no such path. */
  | { readonly found: false; readonly methods: readonly string[] };

/** Finds the route of a path, segment by segment; a literal wins over a parameter. */
export class Router {
  readonly #root: Node = empty();

  constructor(routes: readonly BoundRoute[]) {
    for (const bound of routes) this.#add(bound);
  }

  match(method: string, path: string): Match {
    const walked = this.#walk(path);
    if (walked === null || walked.node.routes.size === 0) return { found: false, methods: [] };
    const bound = walked.node.routes.get(method === "HEAD" ? "GET" : method);
    if (bound !== undefined) return { found: true, bound, params: walked.params };
    return { found: false, methods: [...walked.node.routes.keys()] };
  }

  #add(bound: BoundRoute): void {
    let node = this.#root;
    for (const segment of segments(bound.route.path)) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name === undefined) {
        const next = node.fixed.get(segment) ?? empty();
        node.fixed.set(segment, next);
        node = next;
      } else {
        node.any ??= { name, node: empty() };
        if (node.any.name !== name)
          throw new Error(`${bound.route.path} has another name for {${node.any.name}}.`);
        node = node.any.node;
      }
    }
    if (node.routes.has(bound.route.method))
      throw new Error(`Two routes match ${bound.route.method} ${bound.route.path}.`);
    node.routes.set(bound.route.method, bound);
  }

  #walk(path: string): { node: Node; params: Record<string, string> } | null {
    let node = this.#root;
    const params: Record<string, string> = {};
    for (const segment of segments(path)) {
      const fixed = node.fixed.get(segment);
      if (fixed !== undefined) {
        node = fixed;
      } else if (node.any !== null && segment !== "") {
        const value = decoded(segment);
        if (value === null) return null;
        params[node.any.name] = value;
        node = node.any.node;
      } else {
        return null;
      }
    }
    return { node, params };
  }
}

function empty(): Node {
  return { fixed: new Map(), any: null, routes: new Map() };
}

function segments(path: string): string[] {
  return path.split("/").slice(1);
}

function decoded(segment: string): string | null {
  try {
    const text = decodeURIComponent(segment);
    return isUnstorable(text) ? null : text;
  } catch {
    return null;
  }
}
