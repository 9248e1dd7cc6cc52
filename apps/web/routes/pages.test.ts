import { expect, test } from "bun:test";
import { createRootRoute } from "@tanstack/react-router";
import { isTrue, oneOf, pagesBelow, text } from "./pages.ts";

const load = async () => ({ RolesPage: "shown" });

test("a page gets no value from its URL that is not valid, and its links can leave out all", () => {
  const page = pagesBelow(createRootRoute());
  const route = page("/roles", load, "RolesPage", {
    view: oneOf(["compare"]),
    invite: isTrue,
    role: text,
  });
  const validate = route.options.validateSearch as (search: object) => object;
  const read = (search: object) => ({ ...search, ...validate(search) });
  expect(read({ view: "compare", invite: true, role: "a" })).toEqual({
    view: "compare",
    invite: true,
    role: "a",
  });
  // The router adds what this returns to what the URL contains: a name that is missing here keeps its value.
  const invalid = read({ view: "other", invite: "yes", role: 5 });
  expect(invalid).toEqual({ view: undefined, invite: undefined, role: undefined });
});
