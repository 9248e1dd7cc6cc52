import { hash } from "node:crypto";
import { type FieldFault, fieldFault } from "@countersign/contract/problems/problems";
import { checkLogo, type LogoFault } from "@countersign/domain/branding/logo";
import { logoByHash } from "@countersign/store/queries/branding/branding";
import type { Database } from "@countersign/store/store";
import type { BrandingRow } from "@countersign/store/tables/organizations";
import { invalidField, Problem } from "../../http/problem.ts";
import { logoEndings } from "./show.ts";

type LogoColumns = Pick<BrandingRow, "logo" | "logo_type" | "logo_hash">;

/** A logo as it is stored. What kind it is follows from its content: what the header says proves nothing. */
export function checkedLogo(file: Uint8Array): LogoColumns {
  const checked = checkLogo(file);
  if (checked.ok)
    return {
      logo: Buffer.from(file).toString("base64"),
      logo_type: checked.type,
      logo_hash: hash("sha256", file, "base64url"),
    };
  throw invalidField("logo", shownFault(checked.fault));
}

function shownFault(fault: LogoFault): FieldFault {
  switch (fault.code) {
    case "logo_too_large":
      return fieldFault(fault.code, { max_kib: fault.maxKib });
    case "logo_wrong_size":
      return fieldFault(fault.code, { max_pixels: fault.maxPixels });
    case "logo_not_a_picture":
    case "logo_without_size":
      return fieldFault(fault.code);
  }
}

export const noLogo: LogoColumns = { logo: null, logo_type: null, logo_hash: null };

/** The whole upload, which the framework has bounded: `uploadLogo` allows little more than a logo. */
export async function receiveLogo(body: AsyncIterable<Uint8Array> | null): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  if (body !== null) for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The response to a request for `<hash>.<ending>`. */
export async function logoResponse(db: Database, name: string): Promise<Response> {
  const [, logoHash = "", ending = ""] = /^([\w-]{43})\.(png|jpg|webp|svg)$/.exec(name) ?? [];
  const found = logoHash === "" ? undefined : await logoByHash(db, logoHash);
  if (found == null || found.logo === null || found.logo_type === null) throw new Problem("not_found");
  if (logoEndings[found.logo_type] !== ending) throw new Problem("not_found");
  return new Response(Buffer.from(found.logo, "base64"), {
    headers: { "content-type": found.logo_type, ...logoHeaders },
  });
}

/**
 * A logo is shown in `<img>`, where an SVG image runs no script and loads nothing. Opened directly, it is in a sandbox
 * without scripts, without an origin and without access to any other resource.
 */
const logoHeaders = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "public, max-age=31536000, immutable",
};
