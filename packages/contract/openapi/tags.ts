/** What the routes of a group are about. */
const descriptions: Readonly<Record<string, string>> = {
  "Access tokens": "Credentials for programs that use the management API.",
  "Your account": "The signed-in user, and the first account of an installation.",
  Platform: "The whole installation, for platform admins.",
  Analytics: "Figures about validations and licenses.",
  Account: "The password, the sessions and the other ways to sign in of a user.",
  Billing: "Plans, payments and what a suspended organization owes.",
  Usage: "Requests against the daily limit.",
  "Audit log": "Who did what, and when.",
  Branding: "How an organization presents itself in the customer portal and in emails.",
  Connection: "How requests reach the server.",
  Customers: "The people and companies that have licenses.",
  Products: "What licenses are for, and how they are validated.",
  Events: "What happened to licenses and products, as webhooks receive it.",
  Requests: "The log of validations and lookups, and why each had its result.",
  Invitations: "Asking people to join an organization.",
  "IP blocks": "IP addresses and networks that are refused.",
  "IP addresses": "Where licenses are used.",
  "License files": "Import and export of licenses as CSV and JSON Lines.",
  Licenses: "License keys, their terms and their IP addresses.",
  Members: "The people of an organization and their roles.",
  Organizations: "Sellers: each has its own products, licenses and members.",
  Overview: "Figures for the first page of the dashboard.",
  "Product keys": "API keys and signing secrets of products.",
  Roles: "Named sets of permissions.",
  Sandbox: "The test API key of a product.",
  Transfers: "Requests of customers to hand a license on.",
  Versions: "Which versions of an app a product allows.",
  Webhooks: "Endpoints that receive events, and their deliveries.",
  "Customer portal: sign-in": "How customers sign in to the portal.",
  "Customer portal: account": "The signed-in customer.",
  "Customer portal: licenses": "The licenses of the signed-in customer.",
  "Signing in": "Sessions of the dashboard.",
  "Signing in with Discord": "Sessions by a linked Discord account.",
  "Accounts and passwords": "Sign-up, email addresses and passwords.",
  "Second factor": "Authenticator apps and recovery codes.",
  Passkeys: "Signing in without a password.",
  "Identity confirmation": "Giving the password again before a sensitive change.",
};

export function tagOf(name: string): { name: string; description: string } {
  const description = descriptions[name];
  if (description === undefined) throw new Error(`The group "${name}" of routes has no description.`);
  return { name, description };
}
