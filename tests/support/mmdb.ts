import { parseCidr } from "@countersign/domain/ip/cidr";

/** Another node, a record, or nothing. */
type Branch = number | { readonly offset: number } | null;
type Node = [Branch, Branch];

/** Writes a GeoIP file (MMDB 2.0) with IPv4 and IPv6 networks, of places if any has coordinates. */
export function mmdb(
  networks: Readonly<Record<string, { country: string; latitude?: number; longitude?: number }>>,
): Buffer {
  const nodes: Node[] = [[null, null]];
  const data: Buffer[] = [];
  let offset = 0;
  for (const [network, { country, latitude, longitude }] of Object.entries(networks)) {
    insert(nodes, bitsOf(network), { offset });
    const members = { country: map({ iso_code: text(country) }) };
    const record =
      latitude === undefined || longitude === undefined
        ? map(members)
        : map({ ...members, location: map({ latitude: double(latitude), longitude: double(longitude) }) });
    data.push(record);
    offset += record.length;
  }
  const tree = Buffer.alloc(nodes.length * 8);
  for (const [index, branch] of nodes.flat().entries())
    tree.writeUInt32BE(pointer(branch, nodes.length), index * 4);
  const hasPlaces = Object.values(networks).some(({ latitude }) => latitude !== undefined);
  const metadata = map({
    binary_format_major_version: integer(2),
    database_type: text(hasPlaces ? "Test-City" : "Test-Country"),
    ip_version: integer(6),
    node_count: integer(nodes.length),
    record_size: integer(32),
  });
  const marker = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, metadata]);
}

function insert(nodes: Node[], bits: readonly number[], record: { readonly offset: number }): void {
  let node = nodes[0] as Node;
  for (const bit of bits.slice(0, -1)) {
    const next = node[bit];
    if (typeof next === "object" && next !== null) throw new Error("The networks overlap.");
    const index = next ?? nodes.push([null, null]) - 1;
    node[bit] = index;
    node = nodes[index] as Node;
  }
  node[bits.at(-1) as 0 | 1] = record;
}

/** IPv4 is in the first 32 bits after 96 zeros. */
function bitsOf(network: string): number[] {
  const cidr = parseCidr(network);
  if (cidr === null) throw new Error(`${network} is no network.`);
  const bits = [...cidr.bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const start = cidr.family === 4 ? "0".repeat(96) : "";
  return Array.from(start + bits.slice(0, cidr.prefixLength), Number);
}

function pointer(branch: Branch, nodeCount: number): number {
  if (branch === null) return nodeCount;
  return typeof branch === "number" ? branch : nodeCount + 16 + branch.offset;
}

function text(value: string): Buffer {
  return Buffer.concat([control(2, value.length), Buffer.from(value)]);
}

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return Buffer.concat([control(3, 8), bytes]);
}

function integer(value: number): Buffer {
  return Buffer.concat([control(6, 2), Buffer.of(value >> 8, value)]);
}

/** Of encoded members. */
function map(members: Readonly<Record<string, Buffer>>): Buffer {
  const entries = Object.entries(members).flatMap(([name, value]) => [text(name), value]);
  return Buffer.concat([control(7, entries.length / 2), ...entries]);
}

/** The type and the size of a value, of at most 28 bytes or members. */
function control(type: number, size: number): Buffer {
  return Buffer.of((type << 5) | size);
}
