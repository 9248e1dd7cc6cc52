import { addLicense } from "./add-license.ts";
import type { TestDatabase } from "./databases.ts";
import { type ManageFixture, openManageFixture } from "./manage-fixture.ts";
import { signedInWith } from "./portal-client.ts";
import type { PortalIdentities } from "./portal-rows.ts";
import { newId } from "./test-organization.ts";
import type { OwnServer } from "./test-server.ts";

/** An organization with a product. */
export type Seller = Pick<ManageFixture, "store" | "owner" | "organizationId" | "productId" | "apiKey">;

/** A server with customers who sign in to the portal. */
export type PortalFixture = Awaited<ReturnType<typeof openPortalFixture>>;

/** On the shared server, unless the file needs its own. */
export async function openPortalFixture(make: () => Promise<TestDatabase>, own?: OwnServer) {
  const fixture = await openManageFixture(make, own);
  const { store } = fixture;
  /** Someone who has proven this email address or these identities, or another session of a person. */
  const signedIn = (who: string | PortalIdentities | { personId: string }, ip?: string) =>
    signedInWith(fixture, typeof who === "string" ? { emails: [who] } : who, ip);
  return {
    ...fixture,
    signedIn,
    /** Another organization, with a product that has these settings. */
    seller: async (product: object = {}): Promise<Seller> => {
      const owner = await fixture.person();
      const organization = await owner.api.post("/organizations", { name: "Seller" });
      const organizationId = String(organization.body.id);
      const path = `/organizations/${organizationId}/products`;
      const { body } = await owner.api.post(path, { name: "Plugin", ...product });
      return { store, owner, organizationId, productId: String(body.id), apiKey: String(body.api_key) };
    },
    /** A customer of an organization, by default the fixture's. Returns the email address. */
    customer: async ({ organizationId, owner }: Seller = fixture, email = `${newId()}@example.com`) => {
      const answer = await owner.api.post(`/organizations/${organizationId}/customers`, { email });
      if (answer.status !== 201) throw new Error(`No customer was created: ${answer.text}`);
      return email;
    },
    /** A license of a new customer, who is signed in. Written directly to the tables. */
    sold: async (at: Seller, settings: Parameters<typeof addLicense>[1] = {}) => {
      const email = `${newId()}@example.com`;
      const license = await addLicense(at, { customer: { email, name: "Ada" }, ...settings });
      const customer = await signedIn(email);
      /** As the portal shows it to the customer. */
      const shown = async (by = customer) => (await by.get(`/licenses/${license.id}`)).body;
      return { ...license, email, customer, shown };
    },
  };
}
