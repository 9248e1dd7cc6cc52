import { setState } from "@countersign/store/queries/admin/platform-state";
import { addPassword } from "@countersign/store/queries/identity/sign-in";
import { addUser } from "@countersign/store/queries/identity/users";
import type { Store } from "@countersign/store/store";
import type { OutboxRow } from "@countersign/store/tables";
import { AccountLimits, type Origin } from "../../apps/server/features/identity/account-limits.ts";
import type { Attempt } from "../../apps/server/features/identity/attempts.ts";
import { newPasswordLink } from "../../apps/server/features/identity/password-link.ts";
import { Authenticator } from "./authenticator.ts";
import { Browser, type BrowserAnswer } from "./browser.ts";
import type { TestDatabase } from "./databases.ts";
import { openedEmails } from "./emails.ts";
import { type FakeDiscord, startFakeDiscord } from "./fake-discord.ts";
import { afterAllFiles } from "./shared-resources.ts";
import { newId } from "./test-organization.ts";
import { type OwnServer, openServer, type TestServer } from "./test-server.ts";
import { totpCode, totpSecret } from "./totp.ts";

export const goodPassword = "a good password";

export interface TestUser {
  readonly userId: string;
  readonly email: string;
  readonly browser: Browser;
}

/** A server with users who sign in. */
export interface SignInFixture extends TestServer {
  /** A new browser with its own IP address. */
  browser(): Browser;
  /** A user with a password, not signed in. Without a given hash, the password is fast to check. */
  createUser(options?: { verified?: boolean; admin?: boolean; hash?: string }): Promise<TestUser>;
  /** The same, signed in. */
  createSignedInUser(options?: { admin?: boolean }): Promise<TestUser>;
  /** Signs in with the good password in a new browser, unless others are given. */
  signIn(
    email: string,
    options?: { password?: string; browser?: Browser; headers?: Record<string, string> },
  ): Promise<BrowserAnswer>;
  /** Uses up attempts on an account, from as many networks unless an origin is given. */
  useUp(attempt: Attempt, account: string, count: number, from?: Partial<Origin>): Promise<void>;
  /** A token that resets a user's password, without the email. */
  resetToken(userId: string): Promise<string>;
  /** Adds a passkey to the account of a signed-in user. */
  addPasskey(browser: Browser, proof?: object, name?: string): Promise<{ device: Authenticator; id: string }>;
  /** Turns the second factor of a signed-in user on, with the current code: the next one is still unused. */
  enableSecondFactor(browser: Browser): Promise<{ secret: Uint8Array; recoveryCodes: readonly string[] }>;
  emails(to: string): Promise<OutboxRow[]>;
  emailKinds(to: string): Promise<string[]>;
  /** The audit log entries about a user. */
  actions(userId: string): Promise<string[]>;
}

let lastIp = 0;

const knownHash = cheapHash(goodPassword);

/** On the shared server, unless the file needs its own. */
export async function openSignInFixture(
  make: () => Promise<TestDatabase>,
  own?: OwnServer,
): Promise<SignInFixture> {
  return signInFixtureOf(await openServer(make, own));
}

/** The same on a server that already runs. */
export function signInFixtureOf(running: TestServer): SignInFixture {
  const { store, url } = running;
  const browser = () => {
    lastIp += 1;
    return new Browser(url, `198.18.${lastIp >> 8}.${lastIp & 255}`);
  };
  const signIn: SignInFixture["signIn"] = (email, options = {}) => {
    const { password = goodPassword, browser: given = browser(), headers = {} } = options;
    return given.auth("/sign-in/email", { email, password }, headers);
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
    ...running,
    browser,
    createUser,
    createSignedInUser: async (options = {}) => {
      const someone = await createUser(options);
      succeeded(await signIn(someone.email, { browser: someone.browser }));
      return someone;
    },
    signIn,
    useUp: async (attempt, account, count, from = {}) => {
      const limits = new AccountLimits(store);
      for (let time = 0; time < count; time++) {
        lastIp += 1;
        const ip = `198.19.${lastIp >> 8}.${lastIp & 255}`;
        await limits.check(attempt, account, { ip, deviceId: null, ...from });
      }
    },
    resetToken: async (userId) => {
      const link = { userId, isFirst: false, goodForMs: 3_600_000 };
      const { url: made } = await store.transaction((db) => newPasswordLink(db, url, link, Date.now()));
      return new URL(made).searchParams.get("token") ?? "";
    },
    addPasskey: async (at, proof = { password: goodPassword }, name = "Phone") => {
      const device = new Authenticator(url);
      const options = succeeded(await at.auth("/passkey/generate-register-options", proof));
      const response = device.register(options.body);
      const added = succeeded(await at.auth("/passkey/verify-registration", { response, name }));
      return { device, id: String(added.body.id) };
    },
    enableSecondFactor: async (at) => {
      const { body } = succeeded(await at.auth("/two-factor/enable", { password: goodPassword }));
      const secret = totpSecret(body.totpURI);
      succeeded(await at.auth("/two-factor/verify-totp", { code: totpCode(secret) }));
      return { secret, recoveryCodes: body.backupCodes };
    },
    emails: (to) => openedEmails(store, { to }),
    emailKinds: async (to) => (await openedEmails(store, { to })).map(({ kind }) => kind),
    actions: async (userId) => {
      const rows = await store.reads
        .selectFrom("audit_log")
        .select("action")
        .where("subject_id", "=", userId)
        .orderBy("id")
        .execute();
      return rows.map((row) => row.action);
    },
  };
}

/** A server on which anyone can sign up, also with Discord. */
export interface SignUpFixture extends SignInFixture {
  readonly discord: FakeDiscord;
  /** Open, unless a test closes it. */
  setSignUp(value: "open" | "closed"): Promise<void>;
}

const openToAll = new Map<() => Promise<TestDatabase>, Promise<SignUpFixture>>();

/** The test files of a process share it. */
export async function openSignUpFixture(make: () => Promise<TestDatabase>): Promise<SignUpFixture> {
  const known = openToAll.get(make) ?? startOpenToAll(make);
  openToAll.set(make, known);
  return known;
}

async function startOpenToAll(make: () => Promise<TestDatabase>): Promise<SignUpFixture> {
  const discord = await startFakeDiscord();
  const own = { why: "anyone can sign up, also with Discord", environment: discord.settings };
  const fixture = await openSignInFixture(make, own);
  const setSignUp = (value: "open" | "closed") =>
    fixture.store.transaction((db) => setState(db, "sign_up", value));
  await setSignUp("open");
  afterAllFiles.push(async () => {
    await fixture.close();
    discord.close();
  });
  return { ...fixture, discord, setSignUp, close: async () => {} };
}

function succeeded(answer: BrowserAnswer): BrowserAnswer {
  if (answer.status !== 200) throw new Error(`The request failed: ${answer.text}`);
  return answer;
}

/** Signs a user in to the dashboard, and returns the session's cookie. */
export async function openDashboardSession(
  { store, url }: { readonly store: Store; readonly url: string },
  { userId, email }: { readonly userId: string; readonly email: string },
): Promise<string> {
  await store.transaction((db) => addPassword(db, { id: newId(), userId, hash: knownHash }, Date.now()));
  const browser = new Browser(url, "198.18.255.1");
  succeeded(await browser.auth("/sign-in/email", { email, password: goodPassword }));
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
