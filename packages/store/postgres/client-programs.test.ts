import { expect, test } from "bun:test";
import { libpqEnvironment } from "./client-programs.ts";

const local = { PGHOST: "localhost", PGDATABASE: "a", PGSSLMODE: "require" };

test.each<[string, Record<string, string>]>([
  [
    "postgres://ada:p%40ss%2Fword@db.example.com:6432/licenses?sslmode=verify-full&sslrootcert=/etc/ca.pem",
    {
      ...{ PGHOST: "db.example.com", PGPORT: "6432", PGUSER: "ada", PGPASSWORD: "p@ss/word" },
      ...{ PGDATABASE: "licenses", PGSSLMODE: "verify-full", PGSSLROOTCERT: "/etc/ca.pem" },
    },
  ],
  [
    "postgres://ada:secret@one:5432,two:5433/licenses?target_session_attrs=primary",
    {
      ...{ PGHOST: "one,two", PGPORT: "5432,5433", PGUSER: "ada", PGPASSWORD: "secret" },
      ...{ PGDATABASE: "licenses", PGTARGETSESSIONATTRS: "primary" },
    },
  ],
  [
    "postgres://one,[::1]:6432/licenses",
    { PGHOST: "one,::1", PGPORT: ",6432", PGDATABASE: "licenses", PGTARGETSESSIONATTRS: "read-write" },
  ],
  ["postgresql://[::1]/licenses", { PGHOST: "::1", PGDATABASE: "licenses" }],
  ["postgres:///licenses?host=/run/postgresql", { PGHOST: "/run/postgresql", PGDATABASE: "licenses" }],
  ["postgres://localhost/a?ssl=true&application_name=x", local],
  ["postgres://localhost/a?sslmode=no-verify", local],
])("%s is translated to environment variables of libpq", (url, variables) => {
  expect(libpqEnvironment(url)).toEqual(variables);
});
