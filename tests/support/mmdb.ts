import { parseCidr } from "@countersign/domain/ip/cidr";

/** What a file knows about a network. */
export interface TestPlace {
  readonly country: string;
  readonly latitude?: number;
  readonly longitude?: number;
}

type Value =
  | string
  | number
  | { readonly double: number }
  | readonly Value[]
  | { readonly [name: string]: Value };

/** Writes a GeoIP file (MMDB 2.0) with IPv4 and IPv6 networks, of places if any has coordinates. */
export function mmdb(networks: Readonly<Record<string, TestPlace>>): Buffer {
  const nodes: [Branch, Branch][] = [[null, null]];
  const data: Buffer[] = [];
  let length = 0;
  let hasPlaces = false;
  for (const [network, { country, latitude, longitude }] of Object.entries(networks)) {
    const place =
      latitude === undefined || longitude === undefined
        ? {}
        : { location: { latitude: { double: latitude }, longitude: { double: longitude } } };
    hasPlaces ||= "location" in place;
    insert(nodes, bitsOf(network), { offset: length });
    const record = encoded({ country: { iso_code: country }, ...place });
    data.push(record);
    length += record.length;
  }
  const tree = Buffer.alloc(nodes.length * 8);
  for (const [index, branches] of nodes.entries())
    for (const [side, branch] of branches.entries())
      tree.writeUInt32BE(pointer(branch, nodes.length), index * 8 + side * 4);
  const metadata = encoded({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_800_000_000,
    database_type: hasPlaces ? "Test-City" : "Test-Country",
    description: { en: "Test" },
    ip_version: 6,
    languages: ["en"],
    node_count: nodes.length,
    record_size: 32,
  });
  const marker = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, metadata]);
}

/** Another node, a record, or nothing. */
type Branch = number | { readonly offset: number } | null;

function insert(
  nodes: [Branch, Branch][],
  bits: readonly (0 | 1)[],
  record: { readonly offset: number },
): void {
  let node = nodes[0] as [Branch, Branch];
  for (const bit of bits.slice(0, -1)) {
    const next = node[bit];
    if (typeof next === "object" && next !== null) throw new Error("The networks overlap.");
    const index = next ?? nodes.push([null, null]) - 1;
    node[bit] = index;
    node = nodes[index] as [Branch, Branch];
  }
  node[bits.at(-1) as 0 | 1] = record;
}

/** IPv4 is in the first 32 bits after 96 zeros. */
function bitsOf(network: string): (0 | 1)[] {
  const cidr = parseCidr(network);
  if (cidr === null) throw new Error(`${network} is no network.`);
  const own = [...cidr.bytes].flatMap((byte) =>
    Array.from({ length: 8 }, (_, bit) => ((byte >> (7 - bit)) & 1) as 0 | 1),
  );
  const start: (0 | 1)[] = cidr.family === 4 ? Array.from({ length: 96 }, () => 0 as const) : [];
  return [...start, ...own.slice(0, cidr.prefixLength)];
}

function pointer(branch: Branch, nodeCount: number): number {
  if (branch === null) return nodeCount;
  return typeof branch === "number" ? branch : nodeCount + 16 + branch.offset;
}

const types = { text: 2, double: 3, uint32: 6, map: 7, array: 11 };

function encoded(value: Value): Buffer {
  if (typeof value === "string") {
    const text = Buffer.from(value);
    return Buffer.concat([control(types.text, text.length), text]);
  }
  if (typeof value === "number") {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(value);
    return Buffer.concat([control(types.uint32, 4), number]);
  }
  if (Array.isArray(value))
    return Buffer.concat([
      control(types.array, value.length),
      ...value.map((item) => encoded(item as Value)),
    ]);
  if ("double" in value && typeof value.double === "number") {
    const number = Buffer.alloc(8);
    number.writeDoubleBE(value.double);
    return Buffer.concat([control(types.double, 8), number]);
  }
  const entries = Object.entries(value as Readonly<Record<string, Value>>);
  return Buffer.concat([
    control(types.map, entries.length),
    ...entries.flatMap(([name, member]) => [encoded(name), encoded(member)]),
  ]);
}

function control(type: number, size: number): Buffer {
  if (size >= 29) throw new Error("Long values are not needed here.");
  return type < 8 ? Buffer.from([(type << 5) | size]) : Buffer.from([size, type - 7]);
}
