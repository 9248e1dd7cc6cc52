import { z } from "zod";

/**
 * A member of a response that is shown exactly once. Marked members are never stored for a repeat of the request.
 * `next` tells a caller who lost the response what to do.
 */
export function secret(description: string, next: string) {
  return z.string().meta({ description, [mark]: true, [nextStep]: next });
}

export const mark = "x-secret";
const nextStep = "x-secret-lost";

/** Where a secret is in a response. `*` in a path is each element of a list. */
export interface SecretField {
  readonly path: readonly string[];
  readonly next: string;
}

export function secretFieldsOf(schema: z.ZodType): SecretField[] {
  return [...leaves(schema)].flatMap(({ path, meta }) =>
    meta[mark] === true ? [{ path, next: String(meta[nextStep] ?? "") }] : [],
  );
}

/** Each scalar member of a response, with what the schema says about it. */
export function* leaves(schema: z.ZodType): Generator<Leaf, void> {
  yield* within(schema as Schema, [], {}, 0);
}

interface Leaf {
  readonly path: readonly string[];
  readonly type: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** A copy of a response without its secrets, and the paths of those that were present. */
export function withoutSecrets(
  answer: unknown,
  fields: readonly SecretField[],
): { readonly answer: unknown; readonly removed: string[] } {
  const copy: unknown = answer === undefined ? undefined : structuredClone(answer);
  const removed = fields.filter(({ path }) => remove(copy, path)).map(({ path }) => path.join("."));
  return { answer: copy, removed };
}

function remove(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (typeof value !== "object" || value === null || key === undefined) return false;
  if (key === "*") {
    return Object.values(value).reduce<boolean>((isRemoved, one) => remove(one, rest) || isRemoved, false);
  }
  const members = value as Record<string, unknown>;
  if (rest.length > 0) return remove(members[key], rest);
  // If there is none, the repeat says so: null reveals nothing.
  if (members[key] === undefined || members[key] === null) return false;
  delete members[key];
  return true;
}

type Schema = z.ZodType & {
  readonly def: {
    readonly type: string;
    readonly shape?: Record<string, Schema>;
    readonly element?: Schema;
    readonly innerType?: Schema;
    readonly options?: readonly Schema[];
    readonly valueType?: Schema;
    readonly left?: Schema;
    readonly right?: Schema;
    readonly out?: Schema;
    readonly items?: readonly Schema[];
  };
};

/** No response nests this deep; a recursive schema ends here. */
const deepest = 12;

function* within(
  schema: Schema,
  path: readonly string[],
  around: Leaf["meta"],
  depth: number,
): Generator<Leaf, void> {
  if (depth > deepest) return;
  const { def } = schema;
  // A mark counts on the inner schema as well as on its wrapper.
  const meta = { ...around, ...schema.meta() };
  const inner = [def.innerType, def.left, def.right, def.out, ...(def.options ?? [])].filter(
    (one) => one !== undefined,
  );
  if (def.shape !== undefined) {
    for (const [key, one] of Object.entries(def.shape)) yield* within(one, [...path, key], {}, depth + 1);
  } else if (def.element !== undefined || def.valueType !== undefined || def.items !== undefined) {
    const elements = [def.element, def.valueType, ...(def.items ?? [])].filter((one) => one !== undefined);
    if (meta[mark] === true) yield { path, type: def.type, meta };
    else for (const one of elements) yield* within(one, [...path, "*"], {}, depth + 1);
  } else if (inner.length > 0) {
    for (const one of inner) yield* within(one, path, meta, depth + 1);
  } else {
    yield { path, type: def.type, meta };
  }
}
