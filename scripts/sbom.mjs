import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./toolchain.mjs";

/** What ends up in an executable or an image: the server with its runtime, and the dashboard. */
const shipped = ["apps/server", "apps/web", "packages/contract", "packages/domain", "packages/store"];

/**
 * The bill of materials of a release in CycloneDX 1.6, from package-lock.json: every package that is part of it or builds
 * the dashboard, with its checksum and license. It depends on nothing else, so the same release always has the same one.
 */
export function billOfMaterials({ release, releasedAt }) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const used = new Map();
  const graph = new Map();
  const product = `countersign@${release}`;
  const direct = new Set([take("node_modules/bun")]);
  for (const folder of shipped) for (const ref of dependenciesOf(folder)) direct.add(ref);
  graph.set(product, [...direct].sort());

  /** Adds a package with everything it needs, and returns its reference. */
  function take(path) {
    const { version: own, link, resolved } = packages[path];
    if (link) return resolved;
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const ref = purlOf(name, own);
    if (!used.has(ref)) {
      used.set(ref, componentOf(name, packages[path], ref));
      graph.set(ref, dependenciesOf(path).sort());
    }
    return ref;
  }

  /** The references of what a package needs. Those of this project are listed by themselves. */
  function dependenciesOf(path) {
    const { dependencies = {}, optionalDependencies = {} } = packages[path];
    const names = Object.keys({ ...dependencies, ...optionalDependencies });
    const paths = names.map((name) => find(path, name)).filter((found) => found !== null);
    return [...new Set(paths.filter((found) => !packages[found].link).map(take))];
  }

  /** As Node.js finds it: in the folder of the package, or in one above. Null if it is optional and not locked. */
  function find(path, name) {
    for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
      const candidate = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
      if (Object.hasOwn(packages, candidate)) return candidate;
      if (folder === "") return null;
    }
  }

  const components = [...used.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([product, components]))}`,
    version: 1,
    metadata: {
      ...(releasedAt === null ? {} : { timestamp: releasedAt }),
      component: {
        type: "application",
        "bom-ref": product,
        name: "countersign",
        version: release,
        licenses: [{ expression: "Apache-2.0" }],
      },
    },
    components,
    dependencies: [...graph].map(([ref, dependsOn]) => ({ ref, dependsOn })),
  };
}

function componentOf(name, { version, integrity, license }, purl) {
  const [group, ...rest] = name.split("/");
  const [algorithm, checksum] = integrity?.split("-", 2) ?? [];
  const names = { sha512: "SHA-512", sha1: "SHA-1", sha256: "SHA-256" };
  return {
    type: "library",
    "bom-ref": purl,
    ...(rest.length > 0 ? { group, name: rest.join("/") } : { name }),
    version,
    ...(checksum === undefined
      ? {}
      : { hashes: [{ alg: names[algorithm], content: Buffer.from(checksum, "base64").toString("hex") }] }),
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    purl,
  };
}

function purlOf(name, version) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** The same for the same text. */
function uuidOf(text) {
  const hex = createHash("sha256").update(text).digest("hex");
  const variant = ((Number.parseInt(hex[16], 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
