import { openStore } from "@countersign/store/open";
import { addPassword } from "@countersign/store/queries/sign-in";
import { addUser } from "@countersign/store/queries/users";
import type { Store } from "@countersign/store/store";
import type { MailboxRow } from "@countersign/store/tables";
import { Browser } from "./browser.ts";
import type { TestDatabase } from "./databases.ts";
import { freePort } from "./free-port.ts";
import { openedLetters } from "./letters.ts";
import { newId } from "./seller.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

export const goodPassword = "a good password";

export interface Resident {
  readonly userId: string;
  readonly email: string;
  readonly browser: Browser;
}

/** A server that knows its own address, so that people can sign in to it. */
export interface House {
  readonly database: TestDatabase;
  readonly environment: Readonly<Record<string, string>>;
  readonly server: ServerProcess;
  readonly store: Store;
  readonly url: string;
  /** A browser of its own, with an address of its own. */
  browser(): Browser;
  /** Somebody with an account and a password, not signed in. Their password is quickly checked if no hash is given. */
  resident(options?: { verified?: boolean; admin?: boolean; hash?: string }): Promise<Resident>;
  /** The same, signed in. */
  guest(options?: { admin?: boolean }): Promise<Resident>;
  letters(to: string): Promise<MailboxRow[]>;
  /** What the audit log has about somebody. */
  actions(userId: string): Promise<string[]>;
  close(): Promise<void>;
}

let lastAddress = 0;

const knownHash = cheapHash(goodPassword);

export async function openHouse(
  make: () => Promise<TestDatabase>,
  settings: Readonly<Record<string, string>> = {},
): Promise<House> {
  const database = await make();
  const port = String(await freePort());
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
    lastAddress += 1;
    return new Browser(url, `198.18.${lastAddress >> 8}.${lastAddress & 255}`);
  };
  const resident: House["resident"] = async ({ verified = true, admin = false, hash = knownHash } = {}) => {
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
    resident,
    guest: async (options = {}) => {
      const someone = await resident(options);
      const answer = await someone.browser.auth("/sign-in/email", {
        email: someone.email,
        password: goodPassword,
      });
      if (answer.status !== 200) throw new Error(`The sign-in failed: ${answer.text}`);
      return someone;
    },
    letters: (to) => openedLetters(store, { to }),
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

/** The address in a letter that has one. */
export function linkIn(letter: MailboxRow | undefined): URL {
  const found = /https?:\/\/\S+/.exec(letter?.body_text ?? "")?.[0];
  if (found === undefined) throw new Error("There is no link in this letter.");
  return new URL(found);
}

export function tokenIn(letter: MailboxRow | undefined): string {
  return linkIn(letter).searchParams.get("token") ?? "";
}

/**
 * A hash tells its own cost, and this one is cheap: most tests need somebody who is signed in and are about something
 * else. Whoever signs up, or is given a new password, gets the hash that everybody gets.
 */
export function cheapHash(password: string): string {
  return Bun.password.hashSync(password.normalize("NFKC"), {
    algorithm: "argon2id",
    memoryCost: 8,
    timeCost: 1,
  });
}
