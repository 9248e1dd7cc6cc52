import type { Compilable, CompiledQuery } from "kysely";
import type { Database } from "./store.ts";

type Value = string | number | null;
/** A value; values after the word "in"; or columns and their values, of one row or of several identical ones. */
type Argument = Value | readonly Value[] | object | readonly object[];

/** A query that is built once and run with different values each time. */
interface PreparedQuery<A extends readonly Argument[], R> {
  all(db: Database, ...given: A): Promise<R[]>;
  first(db: Database, ...given: A): Promise<R | undefined>;
  /** The number of rows written. */
  run(db: Database, ...given: A): Promise<number>;
}

/** Lists of hundreds of values rarely have the same length again. */
const maxValues = 128;
const maxShapes = 100;

/**
 * Building a query takes several times as long as running it. So a frequent query is built once per shape of its
 * arguments, with placeholders for the values. `build` must not look at them. A list is padded with its last value,
 * which does not change the meaning of "in": a few lengths cover all.
 */
export function prepared<A extends readonly Argument[], R>(
  build: (db: Database, ...given: A) => Compilable<R>,
): PreparedQuery<A, R> {
  // The adapter identifies the SQL dialect.
  const known = new WeakMap<object, Map<string, CompiledQuery<R>>>();

  const queryFor = (db: Database, given: A): CompiledQuery<R> => {
    const { adapter, plugins } = db.getExecutor();
    const values: Value[] = [];
    let shape = "";
    for (const argument of given) shape += shapeOf(argument, values);
    // A query transformed by a plugin cannot be shared.
    if (values.length > maxValues || plugins.length > 0) return build(db, ...given).compile();
    let shapes = known.get(adapter);
    if (shapes === undefined) {
      shapes = new Map();
      known.set(adapter, shapes);
    }
    let query = shapes.get(shape);
    if (query === undefined) {
      query = withPlaceholders(db, given, build);
      if (shapes.size >= maxShapes) shapes.clear();
      shapes.set(shape, query);
    }
    const parameters = query.parameters.map((part) =>
      part instanceof Placeholder ? values[part.number] : part,
    );
    return { ...query, parameters };
  };

  const execute = (db: Database, given: A) => db.executeQuery(queryFor(db, given));
  return {
    all: async (db, ...given) => (await execute(db, given)).rows,
    first: async (db, ...given) => (await execute(db, given)).rows[0],
    run: async (db, ...given) => Number((await execute(db, given)).numAffectedRows ?? 0),
  };
}

/** A placeholder for a value. Reading it is an error: a prepared query must not depend on its values. */
class Placeholder {
  readonly number: number;

  constructor(number: number) {
    this.number = number;
  }

  [Symbol.toPrimitive](): never {
    throw new Error("A prepared query must not look at its values.");
  }
}

/** What distinguishes different queries. The values are added to `values`, in the order of the placeholders. */
function shapeOf(argument: Argument, values: Value[]): string {
  if (typeof argument !== "object" || argument === null) {
    values.push(argument);
    return ".";
  }
  if (!Array.isArray(argument)) {
    const columns = columnsOf(argument);
    for (const column of columns) values.push(argument[column] as Value);
    return `{${columns.join()}}`;
  }
  const [first] = argument;
  if (typeof first === "object" && first !== null)
    return `[${argument.map((row) => shapeOf(row, values)).join("")}]`;
  const length = roundLength(argument.length);
  for (let at = 0; at < length; at++) values.push(argument[Math.min(at, argument.length - 1)]);
  return `[${length}]`;
}

function withPlaceholders<A extends readonly Argument[], R>(
  db: Database,
  given: A,
  build: (db: Database, ...given: A) => Compilable<R>,
): CompiledQuery<R> {
  let count = 0;
  const placeholdersFor = (argument: Argument): unknown => {
    if (typeof argument !== "object" || argument === null) return new Placeholder(count++);
    if (!Array.isArray(argument))
      return Object.fromEntries(columnsOf(argument).map((column) => [column, new Placeholder(count++)]));
    const [first] = argument;
    if (typeof first === "object" && first !== null) return argument.map(placeholdersFor);
    return Array.from({ length: roundLength(argument.length) }, () => new Placeholder(count++));
  };
  const query = build(db, ...(given.map(placeholdersFor) as unknown as A)).compile();
  const used = new Set(query.parameters.map((part) => (part instanceof Placeholder ? part.number : null)));
  for (let number = 0; number < count; number++)
    if (!used.has(number)) throw new Error(`A prepared query left out a value: ${query.sql}`);
  return query;
}

/** A column without a value was not specified. */
function columnsOf<T extends object>(row: T): (keyof T & string)[] {
  return (Object.keys(row) as (keyof T & string)[]).filter((column) => row[column] !== undefined);
}

/** The next power of two; zero stays zero. */
function roundLength(length: number): number {
  return length === 0 ? 0 : 2 ** Math.ceil(Math.log2(length));
}
