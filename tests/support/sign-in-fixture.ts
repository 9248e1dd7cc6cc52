import { setState } from "@countersign/store/queries/admin/platform-state";
import { addPassword } from "@countersign/store/queries/identity/sign-in";
import { addUser } from "@countersign/store/queries/identity/users";
import type { Store } from "@countersign/store/store";
import type { OutboxRow } from "@countersign/store/tables/platform";

import { newPasswordLink } from "../../apps/server/features/identity/sign-in/password-reset.ts";
import { AccountLimits, type Origin } from "../../apps/server/limits/account-limits.ts";
import type { Attempt } from "../../apps/server/limits/attempts.ts";
import { auditOf } from "./audit-of.ts";
import { Authenticator } from "./authenticator.ts";
import { Browser, type BrowserAnswer } from "./browser.ts";
import type { TestDatabase } from "./databases.ts";
import { openedEmails } from "./emails.ts";
import { startFakeDiscord } from "./fake-discord.ts";
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
export type SignInFixture = ReturnType<typeof signInFixtureOf>;

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
export function signInFixtureOf(running: TestServer) {
  const { store, url } = running;
  /** A new browser with its own IP address. */
  const browser = () => new Browser(url, nextIp("198.18"));
  /** Signs in with the good password in a new browser, unless others are given. */
  const signIn = (
    email: string,
    options: { password?: string; browser?: Browser; headers?: Record<string, string> } = {},
  ) => {
    const { password = goodPassword, browser: given = browser(), headers = {} } = options;
    return given.auth("/sign-in/email", { email, password }, headers);
  };
  /** A user with a password, not signed in. Without a given hash, the password is fast to check. */
  const createUser = async ({ verified = true, admin = false, hash = knownHash } = {}): Promise<TestUser> => {
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
    createSignedInUser: async (options: { admin?: boolean } = {}): Promise<TestUser> => {
      const someone = await createUser(options);
      succeeded(await signIn(someone.email, { browser: someone.browser }));
      return someone;
    },
    signIn,
    /** Uses up attempts on an account, from as many networks unless an origin is given. */
    useUp: async (attempt: Attempt, account: string, count: number, from: Partial<Origin> = {}) => {
      const limits = new AccountLimits(store);
      for (let time = 0; time < count; time++)
        await limits.check(attempt, account, { ip: nextIp("198.19"), deviceId: null, ...from });
    },
    /** A token that resets a user's password, without the email. */
    resetToken: async (userId: string): Promise<string> => {
      const link = { userId, isFirst: false, goodForMs: 3_600_000 };
      const { url: made } = await store.transaction((db) => newPasswordLink(db, url, link, Date.now()));
      return new URL(made).searchParams.get("token") ?? "";
    },
    /** Adds a passkey to the account of a signed-in user. */
    addPasskey: async (at: Browser, proof: object = { password: goodPassword }, name = "Phone") => {
      const device = new Authenticator(url);
      const options = succeeded(await at.auth("/passkey/generate-register-options", proof));
      const response = device.register(options.body);
      const added = succeeded(await at.auth("/passkey/verify-registration", { response, name }));
      return { device, id: String(added.body.id) };
    },
    /** Turns the second factor of a signed-in user on, with the current code: the next one is still unused. */
    enableSecondFactor: async (at: Browser) => {
      const { body } = succeeded(await at.auth("/two-factor/enable", { password: goodPassword }));
      const secret = totpSecret(body.totpURI);
      succeeded(await at.auth("/two-factor/verify-totp", { code: totpCode(secret) }));
      return { secret, recoveryCodes: body.backupCodes as readonly string[] };
    },
    emails: (to: string) => openedEmails(store, { to }),
    emailKinds: async (to: string) => (await openedEmails(store, { to })).map(({ kind }): string => kind),
    /** The audit log entries about a user. */
    actions: async (userId: string) => (await auditOf(running, userId)).map(({ action }): string => action),
  };
}

function nextIp(network: string): string {
  lastIp += 1;
  return `${network}.${lastIp >> 8}.${lastIp & 255}`;
}

const openToAll = new Map<() => Promise<TestDatabase>, ReturnType<typeof startOpenToAll>>();

/** A server on which anyone can sign up, also with Discord. The test files of a process share it. */
export async function openSignUpFixture(make: () => Promise<TestDatabase>) {
  const known = openToAll.get(make) ?? startOpenToAll(make);
  openToAll.set(make, known);
  return known;
}

async function startOpenToAll(make: () => Promise<TestDatabase>) {
  const discord = await startFakeDiscord();
  const own = { why: "anyone can sign up, also with Discord", environment: discord.settings };
  const fixture = await openSignInFixture(make, own);
  /** Open, unless a test closes it. */
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
  ip = "198.18.255.1",
): Promise<string> {
  await store.transaction((db) => addPassword(db, { id: newId(), userId, hash: knownHash }, Date.now()));
  const browser = new Browser(url, ip);
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
  const cheap = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;
  return Bun.password.hashSync(password.normalize("NFKC"), cheap);
}
