import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { authRoutes } from "@countersign/contract/auth/routes";
import { contractRoutes } from "@countersign/contract/manage/routes";
import { problems } from "@countersign/contract/problems/problems";
import { eventTypes } from "@countersign/domain/events/types";
import { validateStatuses } from "@countersign/domain/validate/status";
import { docsSections } from "../../apps/web/ui/docs-sections.ts";
import { sqlite } from "../support/databases.ts";
import { openApiDocument } from "../support/openapi-document.ts";
import { openPublicApiFixture, type PublicApiFixture } from "../support/public-api-fixture.ts";

setDefaultTimeout(60_000);

describe("/docs", () => {
  let fixture: PublicApiFixture;
  let page: string;
  let headers: Headers;
  beforeAll(async () => {
    fixture = await openPublicApiFixture(sqlite.make);
    const answer = await fetch(`${fixture.server.url}/docs`);
    expect(answer.status).toBe(200);
    headers = answer.headers;
    page = await answer.text();
  });
  afterAll(() => fixture.close());

  test("every operation has a section of the reference with its path and a link", () => {
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    const routes = [...contractRoutes, ...authRoutes, { id: "validate", path: "/api/v1/validate" }];
    const parts = routes.flatMap(({ id, path }) => [`<article id="${id}">`, `href="#${id}"`, path]);
    const unbroken = page.replaceAll("<wbr>", "");
    expect(parts.filter((part) => !unbroken.includes(part))).toEqual([]);
  });

  test("every section that the dashboard links to exists, and each validate status has a row", () => {
    const ids = [...Object.values(docsSections), ...validateStatuses.map((status) => `result-${status}`)];
    expect(ids.filter((id) => !page.includes(` id="${id}"`))).toEqual([]);
  });

  test("every webhook event has a section of the reference with its members and an example", () => {
    const { webhooks } = openApiDocument();
    expect(Object.keys(webhooks)).toEqual([...eventTypes]);
    for (const type of eventTypes) {
      const start = page.indexOf(`<b class="method post">event</b> <code>${type}</code>`);
      const section = page.slice(start, page.indexOf("</article>", start));
      expect(start).toBeGreaterThan(0);
      expect(section).toContain("organization_id");
      expect(section).toContain(`&#34;type&#34;: &#34;${type}&#34;`);
    }
    const headerNames = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    expect(headerNames.filter((name) => !page.includes(`<code>${name}</code>`))).toEqual([]);
  });

  test("the reference loads nothing from other origins, and its policy forbids it", async () => {
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(policy).not.toContain("http");
    const loaded = [...page.matchAll(/<(?:script|link|img|iframe)\b[^>]*?(?:src|href)="([^"]*)"/g)].map(
      ([, address = ""]) => address,
    );
    expect(loaded).toEqual(["data:,", "/docs/reference.css", "/docs/reference.js"]);
    expect(page).not.toMatch(/<style|style="|<script>|\son\w+="/);
    for (const address of loaded.slice(1)) {
      const answer = await fetch(fixture.server.url + address);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(await answer.text()).not.toMatch(/https?:|@import|url\(|fetch\(|eval/);
    }
  });

  test("every link in the reference has a target, and every element ID is unique", async () => {
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const [, target = ""] of page.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(target);
    for (const [, address = ""] of page.matchAll(/<a href="(\/[^"]*)"/g)) {
      expect((await fetch(fixture.server.url + address)).status).toBe(200);
    }
  });

  test("each problem code has a page at its type URL, and no other code does", async () => {
    for (const [code, { status }] of Object.entries(problems)) {
      const answer = await fetch(`${fixture.server.url}/problems/${code}`);
      expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      const text = await answer.text();
      expect(text).toStartWith(code);
      expect(text).toContain(String(status));
    }
    expect((await fetch(`${fixture.server.url}/problems/nothing`)).status).toBe(404);
    expect((await fetch(`${fixture.server.url}/docs`, { method: "POST" })).status).toBe(405);
  });
});
