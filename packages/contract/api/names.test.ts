import { expect, test } from "bun:test";
import { z } from "zod";
import { authRoutes } from "../auth/routes.ts";
import { contractRoutes } from "../manage/routes.ts";
import { portalRoutes } from "../portal/routes.ts";

/** What people name things with, and what is shown like a name. */
const isName = /(?:^|_)(?:name|title|tags?|description)$/;

interface Field {
  readonly name: string;
  readonly schema: z.ZodType;
}

/** Every field of a body that takes a text, however deep. */
function* textFields(schema: unknown, name: string): Generator<Field> {
  if (schema instanceof z.ZodObject)
    for (const [key, value] of Object.entries(schema.shape)) yield* textFields(value, key);
  else if (schema instanceof z.ZodArray) yield* textFields(schema.element, name);
  else if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  )
    yield* textFields(schema.unwrap(), name);
  else if (schema instanceof z.ZodPipe) yield* textFields(schema.in, name);
  else if (schema instanceof z.ZodString) yield { name, schema };
}

/** What is only compared or shown to nobody does not have to be a name. */
const routes = [...contractRoutes, ...portalRoutes, ...authRoutes].filter(({ method }) => method !== "GET");
const fields = routes.flatMap((route) =>
  [...textFields(route.body, ""), ...textFields(route.query, "")]
    .filter(({ name }) => isName.test(name))
    .map(({ name, schema }) => [`${name} of ${route.id}`, schema] as const),
);

test.each(fields)("%s refuses line breaks, control characters and bidirectional overrides", (_, schema) => {
  for (const character of ["\r", "\n", "\u0007", "\u2028", "\u202e", "\u2067"]) {
    const { error } = schema.safeParse(`Ada${character}x`);
    expect(error?.issues.map(({ message }) => message)).toEqual(["not_one_line"]);
  }
  expect(schema.safeParse("Zoë 🦊 שלום").success).toBe(true);
});

test("the names of many routes are checked", () => {
  expect(fields.length).toBeGreaterThan(25);
});
