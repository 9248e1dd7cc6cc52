import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import { readConfig } from "../../apps/server/base/config.ts";
import { allCommands } from "../../apps/server/cli/command-line.ts";

const root = join(import.meta.dir, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const yaml = (file: string) => YAML.parse(read(file)) as Tree;
const files = execFileSync("git", ["ls-files", "deploy", "Dockerfile"], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n");
const composeFiles = ["compose.yml", "compose.postgres.yml", "compose.caddy.yml"].map(
  (name) => `deploy/compose/${name}`,
);

/** What these files contain, of which a test looks at a few places. */
type Tree = { [name: string]: Tree } & { [Symbol.iterator](): Iterator<Tree> };

const settings = new Set<string>();
readConfig(new Proxy({}, { get: (_, name) => void settings.add(String(name)) }));
const isSetting = (name: string) => settings.has(name.replace(/_FILE$/, ""));

/** Read by Compose, Docker's build or Railway, and by no server. */
const ofOtherPrograms = ["COUNTERSIGN_IMAGE", "COUNTERSIGN_TOOLS_IMAGE"];

test("every file of deploy that should be YAML or JSON is", () => {
  const parsed = files.filter((file) => /\.(ya?ml|json)$/.test(file) && !file.includes("/templates/"));
  for (const file of parsed) expect([file, typeof yaml(file)]).toEqual([file, "object"]);
  expect(parsed.length).toBeGreaterThan(12);
});

test("every setting that is named is one", () => {
  const named = files.flatMap((file) =>
    Array.from(read(file).matchAll(/\b(?:COUNTERSIGN|DATABASE)_[A-Z]\w*/g), ([name]) => ({ file, name })),
  );
  // Coolify replaces what is in such a name.
  const known = (name: string) => isSetting(name) || ofOtherPrograms.includes(name);
  expect(named.filter(({ name }) => !known(name) && name !== "COUNTERSIGN_3000")).toEqual([]);
  expect(named.length).toBeGreaterThan(30);
});

test("every command that is run is one", async () => {
  const commands = (await allCommands()).map(({ name }) => name);
  const run = files.flatMap((file) =>
    Array.from(
      read(file).matchAll(/(?:bin\/|(?<=-- )|(?<=; \\\n|' \\\n)\s*)countersign"?,? "?([a-z][\w-]*)/g),
      ([, name = ""]) => `${file}: ${name}`,
    ),
  );
  expect(run.filter((line) => !commands.includes(line.split(": ")[1] ?? ""))).toEqual([]);
  expect(run.length).toBeGreaterThan(6);
});

describe("Dockerfile", () => {
  const dockerfile = read("Dockerfile");

  test("runs as an ordinary user, with one volume, which is the data folder", () => {
    const server = dockerfile.slice(dockerfile.indexOf(" AS server"));
    expect(server).toContain("USER 65532:65532\nWORKDIR /data\nVOLUME /data\nEXPOSE 3000\n");
    const environment = Object.fromEntries(
      Array.from(
        /ENV ((?:.*\\\n)*.*)/.exec(server)?.[1]?.matchAll(/(\w+)=(\S+)/g) ?? [],
        ([, name, value]) => [name, value],
      ),
    );
    expect(readConfig(environment, () => "172.17.0.2")).toMatchObject({
      host: "0.0.0.0",
      port: 3000,
      url: "http://localhost:3000",
      urlIsSet: false,
      dataFolder: "/data",
      unknownNames: [],
    });
  });

  test("has the release as its version", () => {
    const { version } = JSON.parse(read("package.json"));
    expect(dockerfile).toContain(`ARG VERSION=${version}\n`);
    expect(read("deploy/kubernetes/deployment.yaml")).toContain(`image: countersign:${version}\n`);
    expect(read("deploy/kubernetes/kustomization.yaml")).toContain(`newTag: ${version}\n`);
    const chart = yaml("deploy/helm/countersign/Chart.yaml");
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
  });

  test("gets all that the build reads, and nothing else", () => {
    const lines = read(".dockerignore").split("\n");
    expect(lines).toContain("*");
    const built = read("scripts/built.mjs");
    const sources = Array.from(built.matchAll(/"((?:apps|packages|sdks|docs)[\w/-]*)"/g), ([, path]) => path);
    const allowed = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
    const isAllowed = (path = "") => allowed.some((start) => path === start || path.startsWith(`${start}/`));
    expect(sources.length).toBeGreaterThan(5);
    expect(sources.filter((path) => !isAllowed(path))).toEqual([]);
  });
});

describe("Compose files", () => {
  const servers = ["deploy/compose/compose.yml", "deploy/compose/compose.postgres.yml"].flatMap((file) =>
    Object.entries(yaml(file).services ?? {}).map(([name, service]) => ({
      name: `${file}: ${name}`,
      service,
    })),
  );

  test.each(servers)("$name can write only to its volumes, and gain no rights", ({ service }) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
  });

  test("need no variable, except for the host name of the certificate", () => {
    const required = composeFiles.flatMap((file) =>
      Array.from(read(file).matchAll(/\$\{(\w+)(:-|:\?)?/g), ([, name, kind]) => ({ file, name, kind })),
    );
    expect(required.filter(({ kind }) => kind !== ":-").map(({ name }) => name)).toEqual([
      "DOMAIN",
      "DOMAIN",
    ]);
  });

  test("the server waits for the health of the database, and is stopped later than it takes", () => {
    const { services } = yaml("deploy/compose/compose.postgres.yml");
    expect(services?.countersign?.depends_on).toEqual({
      postgres: { condition: "service_healthy" },
    } as never);
    for (const { name, service } of servers)
      if (name.endsWith(": countersign")) expect(String(service.stop_grace_period)).toBe("30s");
  });

  test("Caddy is set as the manual says", () => {
    const manual = /# \/etc\/caddy\/Caddyfile\n([\s\S]*?)```/.exec(read("docs/operating/proxies.md"))?.[1];
    const ours = read("deploy/compose/Caddyfile")
      .replace("{$DOMAIN}", "license.example.com")
      .replace("countersign:3000", "127.0.0.1:3000");
    expect(ours).toBe(manual ?? "");
    const { services, networks } = yaml("deploy/compose/compose.caddy.yml");
    const address = services?.caddy?.networks?.proxy?.ipv4_address;
    expect(services?.countersign?.environment?.COUNTERSIGN_TRUSTED_PROXIES).toEqual(address as never);
    expect(networks?.proxy).toBeDefined();
  });
});

describe("Kubernetes", () => {
  const deployment = yaml("deploy/kubernetes/deployment.yaml");
  const pod = deployment.spec?.template?.spec ?? ({} as Tree);
  const [container = {} as Tree] = pod.containers ?? [];

  test("a pod is refused no right that a restricted namespace refuses", () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: "RuntimeDefault" } },
    });
    expect(container.securityContext as unknown).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  test("a pod is killed later than it takes to drain and to finish", () => {
    const drain = [...(container.env ?? [])].find(({ name }) => String(name) === "COUNTERSIGN_DRAIN_SECONDS");
    expect(Number(pod.terminationGracePeriodSeconds)).toBeGreaterThan(Number(drain?.value) + 10);
  });

  test("liveness does not depend on the database, readiness does", () => {
    const paths = ["startupProbe", "livenessProbe", "readinessProbe"].map((name) => container[name]?.httpGet);
    expect(paths as unknown[]).toEqual([
      { path: "/healthz", port: "http" },
      { path: "/healthz", port: "http" },
      { path: "/readyz", port: "http" },
    ]);
  });
});

describe("Helm chart", () => {
  const chart = "deploy/helm/countersign";
  const templates = readdirSync(join(root, chart, "templates"));

  test("every value that a template reads has a default and a schema, and the other way round", () => {
    const values = Object.keys(yaml(`${chart}/values.yaml`)).toSorted();
    const { properties } = JSON.parse(read(`${chart}/values.schema.json`));
    expect(
      Object.keys(properties)
        .filter((name) => name !== "global")
        .toSorted(),
    ).toEqual(values);
    const text = templates.map((name) => read(`${chart}/templates/${name}`)).join("");
    const used = new Set(Array.from(text.matchAll(/\.Values\.(\w+)/g), ([, name = ""]) => name));
    expect([...used].toSorted()).toEqual(values);
  });

  test("has a template for every manifest", () => {
    const manifests = readdirSync(join(root, "deploy/kubernetes")).filter(
      (name) => name !== "kustomization.yaml",
    );
    expect(manifests.filter((name) => !templates.includes(name))).toEqual([]);
  });
});

describe("systemd", () => {
  const unit = read("deploy/systemd/countersign.service");

  test("the unit waits longer than the server takes to stop, and lets its compiler work", () => {
    expect(Number(/^TimeoutStopSec=(\d+)s$/m.exec(unit)?.[1])).toBeGreaterThan(10);
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute=/m);
  });

  test("the data folder is the state directory", () => {
    expect(unit).toContain("StateDirectory=countersign\nStateDirectoryMode=0700\n");
    expect(unit).toContain("Environment=COUNTERSIGN_DATA=/var/lib/countersign\n");
  });
});
