import { portalBase } from "@countersign/contract/api/bases";
import type { Store } from "@countersign/store/store";
import { Router } from "../../apps/server/api/router.ts";
import { portalRoutes } from "../../apps/server/threads/routes.ts";
import { Browser, type BrowserAnswer } from "./browser.ts";
import { openedEmails } from "./emails.ts";
import { expectContract } from "./expect-contract.ts";
import { addPortalPerson, addSessionOf, type PortalIdentities } from "./portal-rows.ts";

type Headers = Readonly<Record<string, string>>;

let lastIp = 0;

/** A browser in the customer portal: keeps cookies, and checks every response against its route's contract. */
export class PortalClient {
  readonly browser: Browser;

  /** Each client has its own IP address, if the server trusts 127.0.0.1 as a proxy. */
  constructor(url: string, ip = nextIp()) {
    this.browser = new Browser(url, ip);
  }

  get = (path: string, headers?: Headers) => this.send("GET", path, undefined, headers);
  post = (path: string, body?: unknown, headers?: Headers) => this.send("POST", path, body, headers);
  patch = (path: string, body?: unknown, headers?: Headers) => this.send("PATCH", path, body, headers);
  delete = (path: string, headers?: Headers) => this.send("DELETE", path, undefined, headers);

  /** A header with an empty value is not sent. */
  async send(method: string, path: string, body?: unknown, headers: Headers = {}) {
    const answer = await this.browser.send(method, portalBase + path, body, headers);
    expectContract(router, method, path, answer);
    return answer;
  }

  /** Requests a code, reads it in the outbox, and signs in with it. */
  async signIn(store: Store, email: string): Promise<BrowserAnswer> {
    const asked = await this.post("/sign-in", { email });
    if (asked.status !== 202) throw new Error(`No code was requested: ${asked.text}`);
    const { code } = await newestCode(store, email);
    const answer = await this.post("/sign-in/verify", { email, code });
    if (answer.status !== 200) throw new Error(`The sign-in failed: ${answer.text}`);
    return answer;
  }
}

/** Signs in with a code that is sent to this email address, which some organization has as a customer. */
export async function signedInCustomer(url: string, store: Store, email: string): Promise<PortalClient> {
  const client = new PortalClient(url);
  await client.signIn(store, email);
  return client;
}

export interface SignedInClient extends PortalClient {
  readonly personId: string;
}

/** Someone who has proven these identities, or another session of a person: without the steps of a sign-in. */
export async function signedInWith(
  { store, url }: { readonly store: Store; readonly url: string },
  who: PortalIdentities | { readonly personId: string },
  ip?: string,
): Promise<SignedInClient> {
  const { personId, token } =
    "personId" in who
      ? { ...who, ...(await addSessionOf(store, who.personId)) }
      : await addPortalPerson(store, who);
  const client = new PortalClient(url, ip);
  client.browser.cookies.set("countersign_portal", token);
  return Object.assign(client, { personId });
}

/** The code and the link's token in the newest email to this email address. */
export async function newestCode(
  store: Store,
  email: string,
  kind: "portal_sign_in" | "portal_email" = "portal_sign_in",
): Promise<{ code: string; token: string; link: string }> {
  const message = (await openedEmails(store, { to: email.toLowerCase(), kind })).at(-1);
  if (message === undefined) throw new Error(`No code was sent to ${email}.`);
  const code = /: (\d{6})$/m.exec(message.body_text)?.[1] ?? "";
  const link = /https?:\/\/\S+/.exec(message.body_text)?.[0] ?? "";
  return { code, link, token: /#([\w-]+)/.exec(link)?.[1] ?? "" };
}

function nextIp(): string {
  lastIp += 1;
  return `198.19.${(lastIp >> 8) & 255}.${lastIp & 255}`;
}

const router = new Router(portalRoutes);
