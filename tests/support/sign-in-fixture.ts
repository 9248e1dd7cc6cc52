import { openStore } from "@countersign/store/open";
import { addPassword } from "@countersign/store/queries/identity/sign-in";
import { addUser } from "@countersign/store/queries/identity/users";
import type { Store } from "@countersign/store/store";
import type { OutboxRow } from "@countersign/store/tables";
import { Browser } from "./browser.ts";
import type { TestDatabase } from "./databases.ts";
import { openedEmails } from "./emails.ts";
import { freePort } from "./free-port.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";
import { newId } from "./test-organization.ts";

export const goodPassword = "a good password";

export interface TestUser {
  readonly userId: string;
  readonly email: string;
  readonly browser: Browser;
}

/** A server that knows its own URL, so that users can sign in. */
export interface SignInFixture {
  readonly database: TestDatabase;
  readonly environment: Readonly<Record<string, string>>;
  readonly server: ServerProcess;
  readonly store: Store;
  readonly url: string;
  /** A new browser with its own IP address. */
  browser(): Browser;
  /** A user with a password, not signed in. Without a given hash, the password is fast to check. */
  createUser(options?: { verified?: boolean; admin?: boolean; hash?: string }): Promise<TestUser>;
  /** The same, signed in. */
  createSignedInUser(options?: { admin?: boolean }): Promise<TestUser>;
  emails(to: string): Promise<OutboxRow[]>;
  /** The audit log entries about a user. */
  actions(userId: string): Promise<string[]>;
  close(): Promise<void>;
}

let lastIp = 0;

const knownHash = cheapHash(goodPassword);

export async function openSignInFixture(
  make: () => Promise<TestDatabase>,
  settings: Readonly<Record<string, string>> = {},
): Promise<SignInFixture> {
  const database = await make();
  const port = settings.PORT ?? String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const environment = {
    ...database.environment,
    PORT: port,
    COUNTERSIGN_URL: url,
    COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.1",
    ...settings,
  };
  const server = await startServerProcess(environment);
  const encryptionKey = settings.COUNTERSIGN_ENCRYPTION_KEY ?? null;
  const store = await openStore(database.location, { encryptionKey, durability: "standard" });
  const browser = () => {
    lastIp += 1;
    return new Browser(url, `198.18.${lastIp >> 8}.${lastIp & 255}`);
  };
  const createUser: SignInFixture["createUser"] = async ({
    verified = true,
    admin = false,
    hash = knownHash,
  } = {}) => {
    const userId = newId();
    const email = `${userId}@example.com`;
    const user = { id: userId, name: "Test Person", email, emailVerified: verified, isPlatformAdmin: admin };
    await store.transaction(async (db) => {
      await addUser(db, user, Date.now());
      await addPassword(db, { id: newId(), userId, hash }, Date.now());
    });
    return { userId, email, browser: browser() };
  };
  return {
    database,
    environment,
    server,
    store,
    url,
    browser,
    createUser,
    createSignedInUser: async (options = {}) => {
      const someone = await createUser(options);
      const answer = await someone.browser.auth("/sign-in/email", {
        email: someone.email,
        password: goodPassword,
      });
      if (answer.status !== 200) throw new Error(`The sign-in failed: ${answer.text}`);
      return someone;
    },
    emails: (to) => openedEmails(store, { to }),
    actions: async (userId) => {
      const rows = await store.reads
        .selectFrom("audit_log")
        .select("action")
        .where("subject_id", "=", userId)
        .orderBy("id")
        .execute();
      return rows.map((row) => row.action);
    },
    close: async () => {
      await server.stop();
      await store.close();
      database.remove();
    },
  };
}

/** Signs a user in to the dashboard, and returns the session's cookie. */
export async function openDashboardSession(
  { store, url }: { readonly store: Store; readonly url: string },
  { userId, email }: { readonly userId: string; readonly email: string },
): Promise<string> {
  await store.transaction((db) => addPassword(db, { id: newId(), userId, hash: knownHash }, Date.now()));
  const browser = new Browser(url, "198.18.255.1");
  const answer = await browser.auth("/sign-in/email", { email, password: goodPassword });
  if (answer.status !== 200) throw new Error(`The sign-in failed: ${answer.text}`);
  const cookie = [...browser.cookies].find(([name]) => name.endsWith(".session_token"));
  if (cookie === undefined) throw new Error("There is no session cookie.");
  return cookie.join("=");
}

/** The URL in an email that has one. */
export function linkIn(message: OutboxRow | undefined): URL {
  const found = /https?:\/\/\S+/.exec(message?.body_text ?? "")?.[0];
  if (found === undefined) throw new Error("There is no link in this email.");
  return new URL(found);
}

export function tokenIn(message: OutboxRow | undefined): string {
  return linkIn(message).searchParams.get("token") ?? "";
}

/**
 * A hash includes its cost, and this one is cheap, because most tests only need a signed-in user. Users who sign up
 * or reset their password get the normal hash.
 */
export function cheapHash(password: string): string {
  return Bun.password.hashSync(password.normalize("NFKC"), {
    algorithm: "argon2id",
    memoryCost: 8,
    timeCost: 1,
  });
}
