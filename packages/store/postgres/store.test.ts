import { postgres } from "../../../tests/support/databases.ts";
import { storeSuite } from "../store.suite.ts";
import { postgresMigrating } from "../suite/postgres-migrating.ts";

storeSuite(postgres, postgresMigrating("setup", 0));
