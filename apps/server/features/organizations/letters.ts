import { compose, oneLine } from "../mail/compose.ts";
import type { Letter } from "../mail/letter.ts";

/** What the people who answer for an organization are told about it. */

export function deletionAskedLetter(
  to: string,
  {
    organization,
    by,
    deleteAfterMs,
    url,
  }: { organization: string; by: string; deleteAfterMs: number; url: string },
): Letter {
  const name = oneLine(organization);
  return letter(to, "organization_deletion_requested", {
    title: `${name} will be deleted`,
    before: [
      `${oneLine(by)} asked for the organization ${name} to be deleted.`,
      `It goes on ${day(deleteAfterMs)}, with its products, licenses and customers. Until then everything works as before.`,
    ],
    action: { label: "Keep it, or save what is in it", url },
    after: [
      "If this was not you, keep the organization, then change your password and end the other sessions.",
    ],
  });
}

export function deletionTakenBackLetter(to: string, organization: string, by: string): Letter {
  const name = oneLine(organization);
  return letter(to, "organization_restored", {
    title: `${name} will not be deleted`,
    before: [`${oneLine(by)} took the deletion of the organization ${name} back. Nothing was lost.`],
    action: null,
    after: [],
  });
}

export function deletedLetter(to: string, organization: string): Letter {
  const name = oneLine(organization);
  return letter(to, "organization_deleted", {
    title: `${name} was deleted`,
    before: [
      `The time in which the deletion of the organization ${name} could be taken back is over.`,
      "Its products, licenses and customers are gone for good.",
    ],
    action: null,
    after: [],
  });
}

export function ownershipReceivedLetter(to: string, organization: string, from: string, url: string): Letter {
  const name = oneLine(organization);
  return letter(to, "ownership_received", {
    title: `You own ${name} now`,
    before: [
      `${oneLine(from)} handed the organization ${name} over to you. You may do everything in it, and answer for it.`,
    ],
    action: { label: "See the organization", url },
    after: ["If you did not expect this, speak with them: you can hand it over to another member."],
  });
}

export function ownershipHandedOverLetter(
  to: string,
  { organization, heir, role }: { organization: string; heir: string; role: string },
): Letter {
  const name = oneLine(organization);
  return letter(to, "ownership_handed_over", {
    title: `${name} has a new owner`,
    before: [
      `You handed the organization ${name} over to ${oneLine(heir)}.`,
      `You are a member of it now, with the role ${oneLine(role)}.`,
    ],
    action: null,
    after: [
      "If this was not you, ask them or the operator of this server at once, and change your password.",
    ],
  });
}

function letter(to: string, kind: string, words: Parameters<typeof compose>[0]): Letter {
  return { to, subject: words.title, ...compose(words), kind };
}

function day(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
