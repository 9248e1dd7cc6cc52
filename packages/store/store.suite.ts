import { describe } from "bun:test";
import type { TestedDatabase } from "../../tests/support/databases.ts";
import { authentication } from "./suite/authentication.ts";
import { customers } from "./suite/customers.ts";
import { dataKey } from "./suite/data-key.ts";
import { events } from "./suite/events.ts";
import { storeFixture } from "./suite/fixture.ts";
import { ipBlocks } from "./suite/ip-blocks.ts";
import { ipRegistration } from "./suite/ip-registration.ts";
import { ipv6Prefix } from "./suite/ipv6-prefix.ts";
import { journal } from "./suite/journal.ts";
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
    authentication(shared);
    quota(shared);
    outcomes(shared);
    ipBlocks(shared);
    ipRegistration(shared);
    ipv6Prefix(shared);
    events(shared);
    versions(shared);
    plans(shared);
    terms(shared);
    lookups(shared);
    customers(shared);
    journal(shared);
    requestLogSuite(shared);
    logRetention(shared);
    rollUps(shared);
    requestSearch(shared);
    dataKey(shared);
    transactions(shared);
    preparedQueries(shared);
    migrations(shared, migrating);
  });
}
