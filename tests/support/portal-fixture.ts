import { signInSecret } from "../../apps/server/features/identity/secret.ts";
import { PortalSecrets } from "../../apps/server/features/portal/secrets.ts";
import type { TestDatabase } from "./databases.ts";
import { freePort } from "./free-port.ts";
import { type ManageFixture, openManageFixture, type Person } from "./manage-fixture.ts";
import { newId } from "./test-organization.ts";

export interface Seller {
  readonly owner: Person;
  readonly organizationId: string;
  readonly productId: string;
}

/** A server that knows its own URL, so that customers can sign in to the portal. */
export interface PortalFixture extends ManageFixture {
  readonly url: string;
  readonly secrets: PortalSecrets;
  /** Another organization with a product. */
  seller(settings?: { locale?: "en" | "de" | "es" }): Promise<Seller>;
  /** A customer of an organization, by default the fixture's. Returns the email address. */
  customer(at?: { organizationId: string; owner: Person; email?: string }): Promise<string>;
  codeRows(email: string): Promise<StoredCode[]>;
  /** As after ten minutes. */
  expireCodes(email: string): Promise<void>;
}

type StoredCode = {
  readonly attempts: number;
  readonly other_attempts: number;
  readonly created_at: number;
  readonly expires_at: number;
};

export async function openPortalFixture(
  make: () => Promise<TestDatabase>,
  settings: Readonly<Record<string, string>> = {},
): Promise<PortalFixture> {
  const port = settings.PORT ?? String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const fixture = await openManageFixture(make, {
    PORT: port,
    COUNTERSIGN_URL: url,
    COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.1",
    ...settings,
  });
  const { store } = fixture;
  const secrets = new PortalSecrets(await signInSecret(store));
  return {
    ...fixture,
    url,
    secrets,
    seller: async ({ locale = "en" } = {}) => {
      const owner = await fixture.person();
      const organization = await owner.api.post("/organizations", { name: "Another seller", locale });
      const organizationId = String(organization.body.id);
      const product = await owner.api.post(`/organizations/${organizationId}/products`, { name: "Tool" });
      return { owner, organizationId, productId: String(product.body.id) };
    },
    customer: async (at) => {
      const { organizationId, owner } = at ?? fixture;
      const email = at?.email ?? `${newId()}@example.com`;
      const answer = await owner.api.post(`/organizations/${organizationId}/customers`, { email });
      if (answer.status !== 201) throw new Error(`No customer was created: ${answer.text}`);
      return email;
    },
    codeRows: (email) =>
      store.reads
        .selectFrom("portal_codes")
        .selectAll()
        .where("email_hash", "=", secrets.emailHash(email))
        .orderBy("id")
        .execute(),
    expireCodes: async (email) => {
      await store.transaction((db) =>
        db
          .updateTable("portal_codes")
          .set({ expires_at: Date.now() - 60_000 })
          .where("email_hash", "=", secrets.emailHash(email))
          .execute(),
      );
    },
  };
}
