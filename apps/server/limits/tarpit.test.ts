import { expect, test } from "bun:test";
import { Tarpit } from "./tarpit.ts";

test("the tarpit sends a few refusals immediately, delays the rest, and sends all of them in the end", async () => {
  let nowMs = 0;
  const answers = new Tarpit(() => nowMs);
  const given = Array.from({ length: 100 }, () => answers.delay(() => new Response("no")));
  expect(given.filter((answer) => answer instanceof Response)).toHaveLength(20);
  expect(answers.use.inUse).toBe(80);
  nowMs = 1_000;
  const all = await Promise.all(given);
  expect(all).toHaveLength(100);
  expect(answers.use.inUse).toBe(0);

  // The number of delayed ones is limited, and further ones are sent immediately.
  for (let number = 0; number < 10_000; number++) void answers.delay(() => new Response("no"));
  expect(answers.use.inUse).toBe(4_000);
  const { refused } = answers.use;
  expect(answers.delay(() => new Response("no"))).toBeInstanceOf(Response);
  expect(answers.use).toEqual({ inUse: 4_000, limit: 4_000, refused: refused + 1 });
});
