import { describe } from "bun:test";
import type { TestedDatabase } from "../../tests/support/databases.ts";
import { authentication } from "./suite/authentication.ts";
import { customers } from "./suite/customers.ts";
import { dataKey } from "./suite/data-key.ts";
import { events } from "./suite/events.ts";
import { type StoreFixture, storeFixture } from "./suite/fixture.ts";
import { ipBlocks } from "./suite/ip-blocks.ts";
import { ipRegistration } from "./suite/ip-registration.ts";
import { ipv6Prefix } from "./suite/ipv6-prefix.ts";
import { journal } from "./suite/journal.ts";
import { logCuts } from "./suite/log-cuts.ts";
import { logRetention } from "./suite/log-retention.ts";
import { lookups } from "./suite/lookups.ts";
import { type Migrating, migrations } from "./suite/migrations.ts";
import { outcomes } from "./suite/outcomes.ts";
import { plans } from "./suite/plans.ts";
import { preparedQueries } from "./suite/prepared-queries.ts";
import { quota } from "./suite/quota.ts";
import { requestLogSuite } from "./suite/request-log.ts";
import { requestSearch } from "./suite/request-search.ts";
import { rollUps } from "./suite/rollups.ts";
import { terms } from "./suite/terms.ts";
import { transactions } from "./suite/transactions.ts";
import { versions } from "./suite/versions.ts";

/** The behaviour of a store on any database. */
export function storeSuite(database: TestedDatabase, migrating: Migrating) {
  describe(`the store on ${database.kind}`, () => {
    const shared = storeFixture(database);
    writes(shared);
    migrations(shared, migrating);
    reads(shared);
  });
}

/** Only what can differ by the connection that a transaction is given. */
export function writeSuite(database: TestedDatabase, migrating: Migrating) {
  describe(`writes to ${database.kind}`, () => {
    const shared = storeFixture(database);
    writes(shared);
    migrations(shared, migrating);
  });
}

/** Transactions, prepared statements, locks, and what concurrent writers may do. */
function writes(shared: StoreFixture) {
  authentication(shared);
  quota(shared);
  outcomes(shared);
  ipRegistration(shared);
  events(shared);
  terms(shared);
  journal(shared);
  requestLogSuite(shared);
  dataKey(shared);
  transactions(shared);
  preparedQueries(shared);
}

/** What is found, and what is decided from it. */
function reads(shared: StoreFixture) {
  ipBlocks(shared);
  ipv6Prefix(shared);
  versions(shared);
  plans(shared);
  lookups(shared);
  customers(shared);
  logRetention(shared);
  logCuts(shared);
  rollUps(shared);
  requestSearch(shared);
}
