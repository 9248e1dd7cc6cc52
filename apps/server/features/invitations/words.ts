/** The languages that the letter can be written in. A new one is one more member below. */
export type Locale = "en";

interface InvitationWords {
  subject(organization: string): string;
  invited(organization: string, role: string, by: string | null): string;
  readonly accept: string;
  until(end: Date, email: string): string;
  readonly notMeant: string;
}

export const words: Readonly<Record<Locale, InvitationWords>> = {
  en: {
    subject: (organization) => `Invitation to join ${organization}`,
    invited: (organization, role, by) =>
      by === null
        ? `You are invited to join ${organization} as ${role}.`
        : `${by} invites you to join ${organization} as ${role}.`,
    accept: "See the invitation",
    until: (end, email) =>
      `The link works once, until ${end.toISOString().slice(0, 16).replace("T", " ")} UTC, for an account with the address ${email}.`,
    notMeant: "If you did not expect this, you need not do anything.",
  },
};
