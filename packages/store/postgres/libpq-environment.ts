/** The address of a database as the variables that PostgreSQL's own programs read. */
export function libpqEnvironment(address: string): Record<string, string> {
  const url = new URL(address);
  const variables: Record<string, string> = {};
  const set = (name: string, value: string) => {
    if (value !== "") variables[name] = value;
  };
  set("PGHOST", decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, "$1"));
  set("PGPORT", url.port);
  set("PGUSER", decodeURIComponent(url.username));
  set("PGPASSWORD", decodeURIComponent(url.password));
  set("PGDATABASE", decodeURIComponent(url.pathname.slice(1)));
  for (const [name, value] of url.searchParams) {
    const variable = queryVariables.get(name);
    if (variable !== undefined) set(variable, value);
  }
  if (/^(1|true)$/.test(url.searchParams.get("ssl") ?? "")) set("PGSSLMODE", "require");
  // The Node driver's word for what its own `require` does in PostgreSQL's programs.
  if (variables.PGSSLMODE === "no-verify") variables.PGSSLMODE = "require";
  return variables;
}

const queryVariables: ReadonlyMap<string, string> = new Map([
  ["host", "PGHOST"],
  ["port", "PGPORT"],
  ["user", "PGUSER"],
  ["password", "PGPASSWORD"],
  ["dbname", "PGDATABASE"],
  ["sslmode", "PGSSLMODE"],
  ["sslrootcert", "PGSSLROOTCERT"],
  ["sslcert", "PGSSLCERT"],
  ["sslkey", "PGSSLKEY"],
]);
