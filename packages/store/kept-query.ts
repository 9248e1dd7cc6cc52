import type { Compilable, CompiledQuery } from "kysely";
import type { Database } from "./store.ts";

type Value = string | number | null;
/** A value; values that stand behind the word "in"; or columns and their values, of one row or of several alike. */
type Argument = Value | readonly Value[] | object | readonly object[];

/** A query that is put together once and run with other values each time. */
export interface KeptQuery<A extends readonly Argument[], R> {
  all(db: Database, ...given: A): Promise<R[]>;
  first(db: Database, ...given: A): Promise<R | undefined>;
  /** How many rows it wrote. */
  run(db: Database, ...given: A): Promise<number>;
}

/** Hundreds of values hardly come again in the same number. */
const mostValues = 128;
const mostShapes = 100;

/**
 * To put a query together takes several times as long as to run it, on the thread that answers validations. What many
 * requests ask is therefore built once for each shape of what is given, with places where the values go. `build` must
 * not look at them. A list is filled up with its last value, which means the same behind "in": a few lengths serve all.
 */
export function kept<A extends readonly Argument[], R>(
  build: (db: Database, ...given: A) => Compilable<R>,
): KeptQuery<A, R> {
  // The adapter stands for the database in whose words it is.
  const known = new WeakMap<object, Map<string, CompiledQuery<R>>>();

  const queryFor = (db: Database, given: A): CompiledQuery<R> => {
    const { adapter, plugins } = db.getExecutor();
    const values: Value[] = [];
    let shape = "";
    for (const argument of given) shape += shapeOf(argument, values);
    // What a plugin makes of a query is nobody else's.
    if (values.length > mostValues || plugins.length > 0) return build(db, ...given).compile();
    let shapes = known.get(adapter);
    if (shapes === undefined) {
      shapes = new Map();
      known.set(adapter, shapes);
    }
    let query = shapes.get(shape);
    if (query === undefined) {
      query = withPlaces(db, given, build);
      if (shapes.size >= mostShapes) shapes.clear();
      shapes.set(shape, query);
    }
    const parameters = query.parameters.map((part) => (part instanceof Place ? values[part.number] : part));
    return { ...query, parameters };
  };

  const execute = (db: Database, given: A) => db.executeQuery(queryFor(db, given));
  return {
    all: async (db, ...given) => (await execute(db, given)).rows,
    first: async (db, ...given) => (await execute(db, given)).rows[0],
    run: async (db, ...given) => Number((await execute(db, given)).numAffectedRows ?? 0),
  };
}

/** Where a value goes. Whoever tries to read it has misunderstood what a kept query is. */
class Place {
  readonly number: number;

  constructor(number: number) {
    this.number = number;
  }

  [Symbol.toPrimitive](): never {
    throw new Error("A kept query must not look at its values.");
  }
}

/** What tells queries with other words apart. The values themselves are added to `values`, in the order of places. */
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

function withPlaces<A extends readonly Argument[], R>(
  db: Database,
  given: A,
  build: (db: Database, ...given: A) => Compilable<R>,
): CompiledQuery<R> {
  let count = 0;
  const placesFor = (argument: Argument): unknown => {
    if (typeof argument !== "object" || argument === null) return new Place(count++);
    if (!Array.isArray(argument))
      return Object.fromEntries(columnsOf(argument).map((column) => [column, new Place(count++)]));
    const [first] = argument;
    if (typeof first === "object" && first !== null) return argument.map(placesFor);
    return Array.from({ length: roundLength(argument.length) }, () => new Place(count++));
  };
  const query = build(db, ...(given.map(placesFor) as unknown as A)).compile();
  const used = new Set(query.parameters.map((part) => (part instanceof Place ? part.number : null)));
  for (let number = 0; number < count; number++)
    if (!used.has(number)) throw new Error(`A kept query left out a value: ${query.sql}`);
  return query;
}

/** A column without a value is one that was not said. */
function columnsOf<T extends object>(row: T): (keyof T & string)[] {
  return (Object.keys(row) as (keyof T & string)[]).filter((column) => row[column] !== undefined);
}

/** The next power of two; nothing stays nothing. */
function roundLength(length: number): number {
  return length === 0 ? 0 : 2 ** Math.ceil(Math.log2(length));
}
