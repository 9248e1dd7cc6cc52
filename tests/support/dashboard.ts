import { afterAll, beforeAll } from "bun:test";
import { randomUUID } from "node:crypto";
import { addMember } from "@countersign/store/queries/members/members";
import type { Page } from "playwright-core";
import { apiOf } from "./api.ts";
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
import { goodPassword, openSignInFixture, type TestUser } from "./sign-in-fixture.ts";
import type { OwnServer } from "./test-server.ts";

/** A server with the dashboard, an owner with an organization and a product, and browsers. */
export type Dashboard = Awaited<ReturnType<typeof openDashboard>>;

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

export async function openDashboard(make: () => Promise<TestDatabase>, own?: OwnServer) {
  const fixture = await openSignInFixture(make, own);
  /** An admin of the platform, too. */
  const owner = await fixture.createSignedInUser({ admin: true });
  /** Calls the management API as the owner, and fails if the request is refused. */
  const manage = async (method: string, path: string, body?: unknown) => {
    const answer = await owner.browser.manage(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path} was answered with ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  const name = `Nordlicht ${randomUUID().slice(0, 8)}`;
  const organization = await manage("POST", "/organizations", { name });
  const organizationId: string = organization.id;
  const product = await manage("POST", `/organizations/${organizationId}/products`, { name: "Polaris" });
  const productId: string = product.id;
  /** A page with a signed-in user, until the end of the test. */
  const pageFor = async (person: TestUser, look?: Look): Promise<Page> => {
    const page = await openPage(look);
    const answer = await page.request.post(`${fixture.url}/api/auth/sign-in/email`, {
      data: { email: person.email, password: goodPassword },
      headers: { origin: fixture.url },
    });
    if (!answer.ok()) throw new Error(`The sign-in failed: ${await answer.text()}`);
    return page;
  };
  let ownersPage: Page | undefined;
  return {
    fixture,
    owner,
    organizationId,
    organizationName: String(organization.name),
    slug: String(organization.slug),
    /** The URL of the organization's pages. */
    home: `${fixture.url}/o/${organization.slug}`,
    productId,
    apiKey: String(product.api_key),
    /** The public API, with the product's API key. */
    api: apiOf(fixture.url, product.api_key),
    manage,
    addLicense: (body: object) => manage("POST", `/products/${productId}/licenses`, body),
    /** A signed-in member of the organization whose role has these permissions. */
    addMember: async (permissions: readonly string[]): Promise<TestUser> => {
      const user = await fixture.createSignedInUser();
      const role = { name: `Role of ${user.userId}`, permissions };
      const { id: roleId } = await manage("POST", `/organizations/${organizationId}/roles`, role);
      const member = { organizationId, userId: user.userId, roleId };
      await fixture.store.transaction((db) => addMember(db, member, Date.now()));
      return user;
    },
    /** The owner's page, in which the dashboard stays loaded from one test to the next. */
    page: async (look: Look = {}): Promise<Page> => {
      if (ownersPage === undefined) {
        ownersPage = await pageFor(owner);
        keepPage(ownersPage);
      }
      await ownersPage.unrouteAll();
      await changeLook(ownersPage, { ...desktop, ...look });
      return ownersPage;
    },
    pageFor,
    /** A page of the owner, in German. */
    germanPage: async (): Promise<Page> => {
      const page = await pageFor(owner);
      await page.goto(`${fixture.url}/favicon.svg`);
      await page.evaluate('localStorage.setItem("countersign.language", "de")');
      return page;
    },
    close: () => fixture.close(),
  };
}
