import { parseIpAddress } from "@countersign/domain/ip/ip-address";

/** What a pasted text can be: the ID of a request or a license, an IP address, or a license key. */
export type Pasted =
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "ip"; readonly ip: string }
  | { readonly kind: "key"; readonly key: string };

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Log lines often surround an ID with quotes, or have a name before it. */
const around = /^(?:x-request-id|request[ _-]?id)?[\s:="'<([]+|[\s"'>)\].,;]+$/gi;

/** Null for nothing. */
export function pasted(text: string): Pasted | null {
  const bare = text.trim().replace(around, "");
  if (bare === "") return null;
  if (uuid.test(bare)) return { kind: "id", id: bare.toLowerCase() };
  const [host = ""] = bare.split("/64");
  const address = parseIpAddress(host);
  if (address !== null && (bare === host || bare === `${host}/64`))
    return { kind: "ip", ip: bare === host ? address.text : `${address.text}/64` };
  return { kind: "key", key: text.trim() };
}
