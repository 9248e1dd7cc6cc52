import { describe, expect, test } from "bun:test";
import { manageBase } from "@countersign/contract/api/bases";
import { pathParameters, type Route } from "@countersign/contract/api/route";
import { contractRoutes } from "@countersign/contract/manage/routes";
import { portalRoutes as portalContractRoutes } from "@countersign/contract/portal/routes";
import { manageRoutes, portalRoutes } from "../../apps/server/threads/routes.ts";
import { openApiDocument } from "../support/openapi-document.ts";

const nameOf = (route: Route) => `${route.method} ${route.path} (${route.id})`;

describe("the contract of the management API", () => {
  test("the server serves exactly the routes that the contract lists in packages/contract/manage/routes.ts", () => {
    const served = manageRoutes.map(({ route }) => nameOf(route)).sort();
    expect(served).toEqual(contractRoutes.map(nameOf).sort());
  });

  test("the server serves exactly the routes of the portal that its contract lists", () => {
    const served = portalRoutes.map(({ route }) => nameOf(route)).sort();
    expect(served).toEqual(portalContractRoutes.map(nameOf).sort());
  });

  test("every route of the management API has a unique ID and path", () => {
    expect(new Set(contractRoutes.map((route) => route.id)).size).toBe(contractRoutes.length);
    const addresses = contractRoutes.map(
      (route) => `${route.method} ${route.path.replace(/\{\w+\}/g, "{}")}`,
    );
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  test.each(contractRoutes.map((route) => [nameOf(route), route] as const))(
    "%s is described completely",
    (_, route) => {
      const described = openApiDocument().paths[manageBase + route.path]?.[route.method.toLowerCase()];
      const text = JSON.stringify(described);
      expect(described).toMatchObject({ operationId: route.id, tags: [route.group], summary: route.summary });
      expect(text).toContain(`"${route.status}":`);
      for (const name of pathParameters(route.path)) expect(text).toContain(`"name":"${name}","in":"path"`);
      if (route.access.who === "member" && route.access.may !== null)
        expect(text).toContain(route.access.may);
      if (route.access.who !== "anyone") expect(text).toContain("authentication_required");
      expect(text.includes("IdempotencyKey")).toBe(route.method === "POST" && route.access.who !== "anyone");
      // A summary starts with a capital letter and has no full stop.
      expect(route.summary).toMatch(/^[A-Z][^.]*$/);
      expect(route.description ?? "A.").toMatch(/^[A-Z`].*[.!]$/s);
    },
  );
});
