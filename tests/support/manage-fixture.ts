import { randomBytes } from "node:crypto";
import { generateAccessToken } from "@countersign/domain/members/access-token";
import { type Permission, permissions } from "@countersign/domain/members/permissions";
import { addAccessToken } from "@countersign/store/queries/access-tokens/tokens";
import { addUser } from "@countersign/store/queries/identity/users";
import { addMember } from "@countersign/store/queries/members/members";
import { addRole } from "@countersign/store/queries/roles/roles";
import type { Store } from "@countersign/store/store";
import { apiOf } from "./api.ts";
import type { TestDatabase } from "./databases.ts";
import { type ManageClient, manageClient } from "./manage-client.ts";
import { newId } from "./test-organization.ts";
import { type OwnServer, openServer } from "./test-server.ts";

/** A user with a token that has all permissions of the user. */
export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly token: string;
  readonly api: ManageClient;
}

/** A server with a platform admin, and a new organization with a product. */
export type ManageFixture = Awaited<ReturnType<typeof openManageFixture>>;

interface PersonOptions {
  readonly admin?: boolean;
  readonly permissions?: readonly Permission[];
}

/** A new user without a membership. */
export async function addPerson(
  store: Store,
  { admin = false, permissions: allowed = permissions }: PersonOptions = {},
) {
  const userId = newId();
  const email = `${userId}@example.com`;
  const token = generateAccessToken(randomBytes);
  const user = { id: userId, name: "Test Person", email, emailVerified: true, isPlatformAdmin: admin };
  const holder = { userId, organizationId: null, createdBy: userId, expiresAtMs: null };
  await store.transaction(async (db) => {
    await addUser(db, user, Date.now());
    const row = { id: newId(), ...token, name: "Test token", permissions: allowed, ...holder };
    await addAccessToken(db, row, Date.now());
  });
  return { userId, email, token: token.token };
}

/** On the shared server, unless the file needs its own. */
export async function openManageFixture(make: () => Promise<TestDatabase>, own?: OwnServer) {
  const running = await openServer(make, own);
  const { server, store } = running;
  /** A new user without a membership. */
  const person = async (options: PersonOptions = {}): Promise<Person> => {
    const added = await addPerson(store, options);
    return { ...added, api: manageClient(server.url, added.token) };
  };
  const admin = await person({ admin: true });
  const owner = await person();
  const organization = await owner.api.post("/organizations", { name: "Acme" });
  const organizationId = String(organization.body.id);
  const product = await owner.api.post(`/organizations/${organizationId}/products`, { name: "Plugin" });
  const apiKey = String(product.body.api_key);
  return {
    ...running,
    admin,
    owner,
    organizationId,
    productId: String(product.body.id),
    apiKey,
    /** The public API with the product's key. */
    publicApi: apiOf(server.url, apiKey),
    person,
    /** A new user with their own role in the organization. */
    member: async (allowed: readonly Permission[], inOrganization = organizationId) => {
      const someone = await person();
      const roleId = newId();
      const now = Date.now();
      const role = { id: roleId, name: `Role ${roleId}`, permissions: JSON.stringify(allowed) };
      await store.transaction(async (db) => {
        await addRole(db, { ...role, organization_id: inOrganization, created_at: now, updated_at: now });
        await addMember(db, { organizationId: inOrganization, userId: someone.userId, roleId }, now);
      });
      return { ...someone, roleId };
    },
    anonymous: manageClient(server.url, null),
  };
}
