import { expect, test } from "bun:test";
import { type Pasted, pasted } from "./pasted.ts";

const id = "019a8f2e-4c1d-7abc-8def-0123456789ab";

test.each<[text: string, is: Pasted | null]>([
  ["", null],
  ["   ", null],
  [id, { kind: "id", id }],
  [` ${id.toUpperCase()}\n`, { kind: "id", id }],
  [`"${id}",`, { kind: "id", id }],
  [`X-Request-Id: ${id}`, { kind: "id", id }],
  [`request_id=${id}`, { kind: "id", id }],
  ["203.0.113.7", { kind: "ip", ip: "203.0.113.7" }],
  ["2001:DB8::1", { kind: "ip", ip: "2001:db8::1" }],
  ["2001:db8:1:2::/64", { kind: "ip", ip: "2001:db8:1:2::/64" }],
  ["POLARIS-7K2M-99XA", { kind: "key", key: "POLARIS-7K2M-99XA" }],
  ["203.0.113.0/24", { kind: "key", key: "203.0.113.0/24" }],
])("the kind of %j is recognized", (text, is) => expect(pasted(text)).toEqual(is));
