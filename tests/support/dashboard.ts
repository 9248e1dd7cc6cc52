import { randomUUID } from "node:crypto";
import type { BrowserContext, Page } from "playwright-core";
import { openContext } from "./chromium.ts";
import type { TestDatabase } from "./databases.ts";
import { goodPassword, openSignInFixture, type SignInFixture, type TestUser } from "./sign-in-fixture.ts";

/** A server with the built dashboard, an owner with an organization and a product, and browsers. */
export interface Dashboard {
  readonly fixture: SignInFixture;
  readonly owner: TestUser;
  readonly organizationId: string;
  readonly slug: string;
  readonly productId: string;
  readonly apiKey: string;
  /** Calls the management API as the owner, and fails if the request is refused. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  manage(method: string, path: string, body?: unknown): Promise<any>;
  /** A page with a signed-in user. */
  pageFor(person: TestUser, look?: { scheme?: "light" | "dark"; width?: number }): Promise<Page>;
  close(): Promise<void>;
}

export async function openDashboard(
  make: () => Promise<TestDatabase>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Dashboard> {
  const fixture = await openSignInFixture(make, settings);
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
  const contexts: BrowserContext[] = [];
  return {
    fixture,
    owner,
    organizationId: organization.id,
    slug: organization.slug,
    productId: product.id,
    apiKey: product.api_key,
    manage,
    pageFor: async (person, look = {}) => {
      const context = await openContext(look);
      contexts.push(context);
      const answer = await context.request.post(`${fixture.url}/api/auth/sign-in/email`, {
        data: { email: person.email, password: goodPassword },
        headers: { origin: fixture.url },
      });
      if (!answer.ok()) throw new Error(`The sign-in failed: ${await answer.text()}`);
      const page = await context.newPage();
      return page;
    },
    close: async () => {
      for (const context of contexts) await context.close();
      await fixture.close();
    },
  };
}
