import { randomBytes } from "node:crypto";
import { defaultLanguage, type Language } from "@countersign/domain/mail/languages";
import {
  type StartingRole,
  startingRoleNames,
  startingRoles,
} from "@countersign/domain/members/starting-roles";
import { slugOf } from "@countersign/domain/organizations/slug";
import type { Plan } from "@countersign/domain/quota/limit";
import { newId } from "@countersign/store/new-id";
import { createOrganization } from "@countersign/store/queries/organizations/organizations";
import { addRole } from "@countersign/store/queries/roles/roles";
import type { Database } from "@countersign/store/store";

interface OrganizationInput {
  readonly name: string;
  readonly plan: Plan;
  /** Derived from the name if omitted. */
  readonly slug?: string | undefined;
  readonly ownerId?: string | null;
  readonly locale?: Language;
  readonly timeZone?: string;
}

interface CreatedOrganization {
  readonly id: string;
  readonly slug: string;
}

/**
 * Creates an organization inside a transaction, with its initial roles. Two can share a name; their slugs then differ.
 */
export async function addOrganization(
  db: Database,
  input: OrganizationInput,
  nowMs: number,
): Promise<CreatedOrganization> {
  const id = newId();
  for (const slug of slugCandidates(input.slug ?? slugOf(input.name), randomBytes)) {
    if (!(await createOrganization(db, { id, ...input, slug }, nowMs))) continue;
    await addStartingRoles(db, id, input.locale ?? defaultLanguage, nowMs);
    return { id, slug };
  }
  throw new Error("No free slug was found, not even a random one.");
}

async function addStartingRoles(
  db: Database,
  organizationId: string,
  language: Language,
  nowMs: number,
): Promise<void> {
  for (const role of Object.keys(startingRoles) as StartingRole[])
    await addRole(db, {
      id: newId(),
      organization_id: organizationId,
      name: startingRoleNames[language][role],
      permissions: JSON.stringify(startingRoles[role]),
      created_at: nowMs,
      updated_at: nowMs,
    });
}

/** The slug itself, then with a number, then with a random suffix: the first that is free is used. */
export function* slugCandidates(slug: string, randomBytes: (count: number) => Uint8Array): Generator<string> {
  yield slug;
  for (let number = 2; number <= lastNumber; number++) yield `${slug}-${number}`;
  for (let tries = 0; tries < randomTries; tries++) {
    yield `${slug}-${Buffer.from(randomBytes(4)).toString("hex")}`;
  }
}

const lastNumber = 9;
const randomTries = 8;
