import { parsePostgresUrl } from "./url.ts";

/** The database URL as environment variables for PostgreSQL's own programs. */
export function libpqEnvironment(address: string): Record<string, string> {
  const { url: single, hosts, target } = parsePostgresUrl(address);
  const url = new URL(single);
  const variables: Record<string, string> = {};
  const set = (name: string, value: string) => {
    if (value !== "") variables[name] = value;
  };
  set("PGHOST", hosts.map(({ host }) => host).join());
  if (hosts.some(({ port }) => port !== null)) set("PGPORT", hosts.map(({ port }) => port ?? "").join());
  // Each program selects the host itself, and must select the same one as the server.
  if (target !== "any") set("PGTARGETSESSIONATTRS", target);
  set("PGUSER", decodeURIComponent(url.username));
  set("PGPASSWORD", decodeURIComponent(url.password));
  set("PGDATABASE", decodeURIComponent(url.pathname.slice(1)));
  for (const [name, value] of url.searchParams) {
    const variable = queryVariables.get(name);
    if (variable !== undefined) set(variable, value);
  }
  if (/^(1|true)$/.test(url.searchParams.get("ssl") ?? "")) set("PGSSLMODE", "require");
  // The Node.js driver's name for what `require` means in PostgreSQL's programs.
  if (variables.PGSSLMODE === "no-verify") variables.PGSSLMODE = "require";
  return variables;
}

const queryVariables: ReadonlyMap<string, string> = new Map([
  ["user", "PGUSER"],
  ["password", "PGPASSWORD"],
  ["dbname", "PGDATABASE"],
  ["sslmode", "PGSSLMODE"],
  ["sslrootcert", "PGSSLROOTCERT"],
  ["sslcert", "PGSSLCERT"],
  ["sslkey", "PGSSLKEY"],
]);
