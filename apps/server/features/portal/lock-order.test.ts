import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { newId } from "@countersign/store/new-id";
import { openStore } from "@countersign/store/open";
import { isConflict } from "@countersign/store/postgres/errors";
import { addPortalCode } from "@countersign/store/queries/portal/codes";
import { lockedPortalPerson, personWith } from "@countersign/store/queries/portal/people";
import { removeUnknownIdentities } from "@countersign/store/queries/portal/unknown-identities";
import type { Database, Store } from "@countersign/store/store";
import { sql } from "kysely";
import { postgres, type TestDatabase } from "../../../../tests/support/databases.ts";
import { lockWaits } from "../../../../tests/support/lock-waits.ts";
import { addPortalPerson } from "../../../../tests/support/portal-rows.ts";
import { until } from "../../../../tests/support/until.ts";
import { AccountLimits } from "../identity/account-limits.ts";
import { withAdditionCode, withSignInCode } from "./codes.ts";
import { addIdentity } from "./identities.ts";
import { PortalSecrets } from "./secrets.ts";

setDefaultTimeout(60_000);

const secrets = new PortalSecrets("for this test");
const challenge = "the browser";
const code = "123456";

let database: TestDatabase;
let store: Store;
/** Transactions that PostgreSQL rolled back, because two waited for each other. The store repeats them. */
let deadlocks = 0;
beforeAll(async () => {
  database = await postgres.make();
  store = await openStore(database.location, { encryptionKey: null, durability: "standard" });
});
afterAll(async () => {
  await store.close();
  database.remove();
});

test("two people who add each other's email address do not wait for each other", async () => {
  const [a, b] = [await person(), await person()];
  await addCode(b.email, a.personId);
  await addCode(a.email, b.personId);
  expect(await atTheSameMoment([a, b], [adding(a, b.email), adding(b, a.email)])).toEqual([
    "fulfilled",
    "rejected",
  ]);
});

test("someone who signs in does not wait for someone who adds their email address and waits for them", async () => {
  const [a, b] = [await person(), await person()];
  await addCode(b.email, a.personId);
  await addCode(b.email, null);
  await atTheSameMoment([a, b], [adding(a, b.email), signingIn(b.email)]);
});

test("the removal of a customer does not wait for someone who adds the email address and waits for it", async () => {
  const [a, b] = [await person(), await person()];
  await addCode(b.email, a.personId);
  const removal = () =>
    counting().transaction((db) => removeUnknownIdentities(db, [{ email: b.email, discord_id: null }]));
  await atTheSameMoment([a, b], [adding(a, b.email), removal]);
});

type PersonWithEmail = Awaited<ReturnType<typeof person>>;

async function person() {
  const email = `${newId()}@example.com`;
  return { email, ...(await addPortalPerson(store, { emails: [email] })) };
}

/** A code for the email address: for the person to add it, or for its owner to sign in. */
async function addCode(email: string, personId: string | null): Promise<void> {
  const [id, nowMs] = [newId(), Date.now()];
  await store.transaction((db) =>
    addPortalCode(db, {
      id,
      email,
      email_hash: secrets.emailHash(email),
      person_id: personId,
      code_hash: secrets.codeHash(id, code),
      link_hash: newId(),
      challenge_hash: secrets.challengeHash(challenge),
      created_at: nowMs,
      expires_at: nowMs + 600_000,
    }),
  );
}

function adding({ personId, sessionId }: PersonWithEmail, email: string) {
  const actor = { kind: "customer", personId, sessionId, emails: [], discordIds: [] } as const;
  const nowMs = Date.now();
  return async () => {
    const attempt = { email, code, personId, nowMs };
    const added = await withAdditionCode({ store: counting(), secrets }, attempt, async (db) => {
      await addIdentity(db, actor, { kind: "email", value: email, name: null }, nowMs);
      return true;
    });
    if (added === null) throw new Error("The code is gone.");
  };
}

function signingIn(email: string) {
  const nowMs = Date.now();
  const parts = {
    store: counting(),
    secrets,
    limits: new AccountLimits(store, () => nowMs),
    countUnknownBrowser: () => {},
    portalUrl: "http://127.0.0.1",
  };
  return () =>
    withSignInCode(parts, { email, code, challenge, ip: null, nowMs }, (db) =>
      personWith(db, { kind: "email", value: email, name: null }, newId, nowMs),
    );
}

/** The store, except that deadlocks are counted. */
function counting(): Store {
  return {
    reads: store.reads,
    transaction: (work: Parameters<Store["transaction"]>[0]) =>
      store.transaction(async (db) => {
        await withoutLimits(db);
        return work(db).catch((error) => {
          if (isConflict(error)) deadlocks += 1;
          throw error;
        });
      }),
  } as unknown as Store;
}

/**
 * Runs the works at the same moment: each waits for people who are locked until all wait. Expects no deadlock. Returns how they ended.
 */
async function atTheSameMoment(
  people: readonly PersonWithEmail[],
  works: readonly (() => Promise<unknown>)[],
): Promise<string[]> {
  deadlocks = 0;
  const running = await store.transaction(async (db) => {
    await withoutLimits(db);
    for (const { personId } of people) await lockedPortalPerson(db, personId);
    const started = works.map((work) => work());
    for (const work of started) work.catch(() => {});
    await until("all wait for a lock", async () => (await lockWaits(store.reads)) === works.length);
    return { all: Promise.allSettled(started) };
  });
  const ends = await running.all;
  expect(deadlocks).toBe(0);
  return ends.map(({ status }) => status).sort();
}

/** However busy the machine is, locks are held and waited for until all wait. */
async function withoutLimits(db: Database): Promise<void> {
  await sql`set local lock_timeout = 0`.execute(db);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(db);
}
