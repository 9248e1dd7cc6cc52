import { expect, test } from "bun:test";
import { openApiDocument } from "../../../tests/support/openapi-document.ts";
import { authBase } from "./route.ts";
import { authRoutes } from "./routes.ts";

test.each(authRoutes.map((route) => [`${route.method} ${authBase}${route.path}`, route] as const))(
  "%s is described completely",
  (_, route) => {
    const described = openApiDocument().paths[authBase + route.path]?.[route.method.toLowerCase()];
    expect(described).toMatchObject({ operationId: route.id, tags: [route.group], summary: route.summary });
    const text = JSON.stringify(described);
    expect(text.includes('"session":[]')).toBe(route.needs === "session");
    expect(text).not.toContain('"accessToken":[]');
    expect(text.includes('"requestBody"')).toBe(route.body !== null);
    expect(text).toContain("too_many_attempts");
    if (route.answer !== null) expect(text).toContain('"200":');
    if (route.redirect !== undefined) expect(text).toContain('"302":');
    expect(route.summary).toMatch(/^[A-Z][^.]*$/);
    expect(route.description ?? "A.").toMatch(/^[A-Z`].*[.!]$/s);
  },
);
