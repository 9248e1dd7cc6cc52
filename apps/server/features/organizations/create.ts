import { randomBytes } from "node:crypto";
import type { Language } from "@countersign/domain/mail/languages";
import { slugOf } from "@countersign/domain/organizations/slug";
import type { Plan } from "@countersign/domain/quota/limit";
import { createOrganizationIfSlugIsFree } from "@countersign/store/queries/organizations";
import type { Database } from "@countersign/store/store";
import { newId } from "../../new-id.ts";
import { slugCandidates } from "./slug.ts";

export interface OrganizationInput {
  readonly name: string;
  readonly plan: Plan;
  /** Made from the name when left out. */
  readonly slug?: string | undefined;
  readonly ownerId?: string | null;
  readonly locale?: Language;
}

export interface CreatedOrganization {
  readonly id: string;
  readonly slug: string;
}

/** Creates an organization inside a transaction. Two may share a name; their slugs then differ. */
export async function addOrganization(
  db: Database,
  input: OrganizationInput,
  nowMs: number,
): Promise<CreatedOrganization> {
  const id = newId();
  for (const slug of slugCandidates(input.slug ?? slugOf(input.name), randomBytes)) {
    if (await createOrganizationIfSlugIsFree(db, { id, ...input, slug }, nowMs)) return { id, slug };
  }
  throw new Error("No free slug was found, although random ones were tried.");
}
