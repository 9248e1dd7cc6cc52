import { hash } from "node:crypto";
import { type FieldFault, fieldFault } from "@countersign/contract/problems/problems";
import type { LogoFault } from "@countersign/domain/branding/logo-fault";
import { checkPngLogo } from "@countersign/domain/branding/png-logo";
import { sanitizeSvgLogo } from "@countersign/domain/branding/svg-logo";
import { logoByHash } from "@countersign/store/queries/branding/branding";
import type { Database } from "@countersign/store/store";
import type { BrandingRow } from "@countersign/store/tables";
import { invalidField, Problem } from "../../http/problem.ts";
import { logoEndings } from "./show.ts";

type LogoColumns = Pick<BrandingRow, "logo" | "logo_type" | "logo_hash">;

/** A logo as it is stored: only what a check wrote again, never the bytes of the upload. */
export function checkedLogo(file: Uint8Array): LogoColumns {
  // By content: what the header says proves nothing.
  if (isPng(file)) {
    const checked = checkPngLogo(file);
    if (!checked.ok) throw invalidField("logo", faultOf(checked.fault));
    return columnsOf("image/png", checked.png);
  }
  const sanitized = sanitizeSvgLogo(file);
  if (!sanitized.ok) throw invalidField("logo", faultOf(sanitized.fault));
  return columnsOf("image/svg+xml", Buffer.from(sanitized.svg));
}

export const noLogo: LogoColumns = { logo: null, logo_type: null, logo_hash: null };

/** The whole upload, which the framework has bounded: `uploadLogo` allows no more than the larger of both kinds. */
export async function receiveLogo(body: AsyncIterable<Uint8Array> | null): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  if (body !== null) for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The response to a request for `<hash>.<ending>`. */
export async function logoResponse(db: Database, name: string): Promise<Response> {
  const [, logoHash = "", ending = ""] = /^([\w-]{43})\.(png|svg)$/.exec(name) ?? [];
  const found = logoHash === "" ? undefined : await logoByHash(db, logoHash);
  if (found == null || found.logo === null || found.logo_type === null) throw new Problem("not_found");
  if (logoEndings[found.logo_type] !== ending) throw new Problem("not_found");
  return new Response(Buffer.from(found.logo, "base64"), {
    headers: { "content-type": found.logo_type, ...logoHeaders },
  });
}

/**
 * The file contains nothing that runs. If that ever fails, the policy keeps it from running: opened directly, it is in a
 * sandbox without scripts, without an origin and without access to any other resource.
 */
const logoHeaders = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "public, max-age=31536000, immutable",
};

function columnsOf(type: NonNullable<BrandingRow["logo_type"]>, bytes: Uint8Array): LogoColumns {
  return {
    logo: Buffer.from(bytes).toString("base64"),
    logo_type: type,
    logo_hash: hash("sha256", bytes, "base64url"),
  };
}

function isPng(file: Uint8Array): boolean {
  return file[0] === 0x89 && file[1] === 0x50 && file[2] === 0x4e && file[3] === 0x47;
}

function faultOf(fault: LogoFault): FieldFault {
  switch (fault.code) {
    case "logo_too_large":
      return fieldFault(fault.code, { max_kib: fault.maxKib });
    case "logo_unsupported_markup":
      return fieldFault(fault.code, { markup: fault.markup });
    case "logo_wrong_size":
      return fieldFault(fault.code, { max_pixels: fault.maxPixels });
    case "logo_not_svg":
    case "logo_too_complex":
    case "logo_empty":
    case "logo_without_size":
    case "logo_not_png":
      return fieldFault(fault.code);
  }
}
