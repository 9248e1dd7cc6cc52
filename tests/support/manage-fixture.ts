import { randomBytes } from "node:crypto";
import { generateAccessToken } from "@countersign/domain/members/access-token";
import { type Permission, permissions } from "@countersign/domain/members/permissions";
import { openStore } from "@countersign/store/open";
import { addAccessToken } from "@countersign/store/queries/access-tokens/tokens";
import { addUser } from "@countersign/store/queries/identity/users";
import type { Store } from "@countersign/store/store";
import { type Api, apiOf } from "./api.ts";
import type { TestDatabase } from "./databases.ts";
import { type ManageClient, manageClient } from "./manage-client.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";
import { afterAllFiles } from "./shared-resources.ts";
import { newId } from "./test-organization.ts";

/** A user with a token that has all permissions of the user. */
export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly token: string;
  readonly api: ManageClient;
}

/** A new database with a server, a platform admin, and an organization with a product. */
export interface ManageFixture {
  readonly database: TestDatabase;
  readonly server: ServerProcess;
  readonly store: Store;
  readonly admin: Person;
  readonly owner: Person;
  readonly organizationId: string;
  readonly productId: string;
  readonly apiKey: string;
  /** The public API with the product's key. */
  readonly publicApi: Api;
  /** A new user without a membership. */
  person(options?: { admin?: boolean; permissions?: readonly Permission[] }): Promise<Person>;
  /** A new user with their own role in the organization. */
  member(allowed: readonly Permission[], organizationId?: string): Promise<Person & { roleId: string }>;
  anonymous: ManageClient;
  close(): Promise<void>;
}

export async function openManageFixture(
  make: () => Promise<TestDatabase>,
  environment: Readonly<Record<string, string>> = {},
): Promise<ManageFixture> {
  const running = await startOn(make, environment);
  return officeOn(running, () => stop(running));
}

const shared = new Map<() => Promise<TestDatabase>, Promise<Running>>();

/**
 * The same on a server that the test files of a process share, which saves a start for each. For tests that read and
 * change nothing outside their organizations.
 */
export async function openSharedManageFixture(make: () => Promise<TestDatabase>): Promise<ManageFixture> {
  let running = shared.get(make);
  if (running === undefined) {
    running = startOn(make, {});
    const started = running;
    afterAllFiles.push(async () => stop(await started));
    shared.set(make, running);
  }
  return officeOn(await running, async () => {});
}

interface Running {
  readonly database: TestDatabase;
  readonly server: ServerProcess;
  readonly store: Store;
}

async function startOn(
  make: () => Promise<TestDatabase>,
  environment: Readonly<Record<string, string>>,
): Promise<Running> {
  const database = await make();
  const store = await openStore(database.location, { encryptionKey: null, durability: "standard" });
  const server = await startServerProcess({ ...database.environment, ...environment });
  return { database, server, store };
}

async function stop({ database, server, store }: Running): Promise<void> {
  await server.stop();
  await store.close();
  database.remove();
}

async function officeOn(
  { database, server, store }: Running,
  close: () => Promise<void>,
): Promise<ManageFixture> {
  const person: ManageFixture["person"] = async (options = {}) => {
    const userId = newId();
    const email = `${userId}@example.com`;
    const token = generateAccessToken(randomBytes);
    await store.transaction(async (db) => {
      const isPlatformAdmin = options.admin === true;
      await addUser(
        db,
        { id: userId, name: "Test Person", email, emailVerified: true, isPlatformAdmin },
        Date.now(),
      );
      await addAccessToken(
        db,
        {
          id: newId(),
          ...token,
          name: "Test token",
          userId,
          organizationId: null,
          permissions: options.permissions ?? permissions,
          createdBy: userId,
          expiresAtMs: null,
        },
        Date.now(),
      );
    });
    return { userId, email, token: token.token, api: manageClient(server.url, token.token) };
  };
  const admin = await person({ admin: true });
  const owner = await person();
  const organization = await owner.api.post("/organizations", { name: "Acme" });
  const organizationId = String(organization.body.id);
  const product = await owner.api.post(`/organizations/${organizationId}/products`, { name: "Plugin" });
  const apiKey = String(product.body.api_key);
  return {
    database,
    server,
    store,
    admin,
    owner,
    organizationId,
    productId: String(product.body.id),
    apiKey,
    publicApi: apiOf(server.url, apiKey),
    person,
    member: async (allowed, inOrganization = organizationId) => {
      const someone = await person();
      const roleId = newId();
      const nowMs = Date.now();
      await store.transaction(async (db) => {
        await db
          .insertInto("roles")
          .values({
            id: roleId,
            organization_id: inOrganization,
            name: `Role ${roleId}`,
            permissions: JSON.stringify(allowed),
            created_at: nowMs,
            updated_at: nowMs,
          })
          .execute();
        await db
          .insertInto("members")
          .values({
            organization_id: inOrganization,
            user_id: someone.userId,
            role_id: roleId,
            created_at: nowMs,
          })
          .execute();
      });
      return { ...someone, roleId };
    },
    anonymous: manageClient(server.url, null),
    close,
  };
}
