import { afterAll, beforeAll } from "bun:test";
import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { type Api, apiOf } from "./api.ts";
import {
  browserTests,
  changeLook,
  desktop,
  handBackPages,
  keepPage,
  type Look,
  openPage,
} from "./chromium.ts";
import type { TestDatabase } from "./databases.ts";
import { goodPassword, openSignInFixture, type SignInFixture, type TestUser } from "./sign-in-fixture.ts";
import type { OwnServer } from "./test-server.ts";

/** A server with the dashboard, an owner with an organization and a product, and browsers. */
export interface Dashboard {
  readonly fixture: SignInFixture;
  /** An admin of the platform, too. */
  readonly owner: TestUser;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly slug: string;
  /** The URL of the organization's pages. */
  readonly home: string;
  readonly productId: string;
  readonly apiKey: string;
  /** The public API, with the product's API key. */
  readonly api: Api;
  /** Calls the management API as the owner, and fails if the request is refused. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  manage(method: string, path: string, body?: unknown): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  addLicense(body: object): Promise<any>;
  /** A signed-in member of the organization whose role has these permissions. */
  addMember(permissions: readonly string[]): Promise<TestUser>;
  /** The owner's page, in which the dashboard stays loaded from one test to the next. */
  page(look?: Look): Promise<Page>;
  /** A page with a signed-in user, until the end of the test. */
  pageFor(person: TestUser, look?: Look): Promise<Page>;
  /** A page of the owner, in German. */
  germanPage(): Promise<Page>;
  close(): Promise<void>;
}

/** Tests of the dashboard in a browser, in an organization of their own. On the shared server, unless they need another. */
export function dashboardTests(title: string, tests: (dashboard: Dashboard) => void, own?: OwnServer): void {
  browserTests(title, (make) => {
    // Complete before the first test.
    const dashboard = {} as Dashboard;
    beforeAll(async () => {
      Object.assign(dashboard, await openDashboard(make, own));
    });
    tests(dashboard);
    afterAll(async () => {
      await handBackPages("file");
      await dashboard.close();
    });
  });
}

export async function openDashboard(make: () => Promise<TestDatabase>, own?: OwnServer): Promise<Dashboard> {
  const fixture = await openSignInFixture(make, own);
  const owner = await fixture.createSignedInUser({ admin: true });
  const manage: Dashboard["manage"] = async (method, path, body) => {
    const answer = await owner.browser.manage(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path} was answered with ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  const organization = await manage("POST", "/organizations", {
    name: `Nordlicht ${randomUUID().slice(0, 8)}`,
  });
  const product = await manage("POST", `/organizations/${organization.id}/products`, { name: "Polaris" });
  const pageFor: Dashboard["pageFor"] = async (person, look) => {
    const page = await openPage(look);
    const answer = await page.request.post(`${fixture.url}/api/auth/sign-in/email`, {
      data: { email: person.email, password: goodPassword },
      headers: { origin: fixture.url },
    });
    if (!answer.ok()) throw new Error(`The sign-in failed: ${await answer.text()}`);
    return page;
  };
  const home = `${fixture.url}/o/${organization.slug}`;
  let ownersPage: Page | undefined;
  return {
    fixture,
    owner,
    organizationId: organization.id,
    organizationName: organization.name,
    slug: organization.slug,
    home,
    productId: product.id,
    apiKey: product.api_key,
    api: apiOf(fixture.url, product.api_key),
    manage,
    addLicense: (body) => manage("POST", `/products/${product.id}/licenses`, body),
    addMember: async (permissions) => {
      const user = await fixture.createSignedInUser();
      const role = await manage("POST", `/organizations/${organization.id}/roles`, {
        name: `Role of ${user.userId}`,
        permissions,
      });
      const member = { organization_id: organization.id, user_id: user.userId, role_id: role.id };
      await fixture.store.transaction((db) =>
        db
          .insertInto("members")
          .values({ ...member, created_at: Date.now() })
          .execute(),
      );
      return user;
    },
    page: async (look = {}) => {
      if (ownersPage === undefined) {
        ownersPage = await pageFor(owner);
        keepPage(ownersPage);
      }
      await ownersPage.unrouteAll();
      await changeLook(ownersPage, { ...desktop, ...look });
      return ownersPage;
    },
    pageFor,
    germanPage: async () => {
      const page = await pageFor(owner);
      await page.goto(`${fixture.url}/favicon.svg`);
      await page.evaluate('localStorage.setItem("countersign.language", "de")');
      return page;
    },
    close: () => fixture.close(),
  };
}
