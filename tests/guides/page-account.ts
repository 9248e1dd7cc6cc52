import { sqlite } from "../support/databases.ts";
import { openMailServer } from "../support/mail-server.ts";
import { manageClient } from "../support/manage-client.ts";
import { addPerson } from "../support/manage-fixture.ts";
import { openServer } from "../support/test-server.ts";

/** A server that sends emails, for all pages. */
export type SharedServer = Awaited<ReturnType<typeof openSharedServer>>;

export async function openSharedServer() {
  const mail = await openMailServer();
  const running = await openServer(sqlite.make, {
    why: "the pages send emails",
    environment: { COUNTERSIGN_SMTP_URL: mail.url, COUNTERSIGN_MAIL_FROM: "license@example.com" },
  });
  const admin = await addPerson(running.store, { admin: true });
  const close = async () => {
    await running.close();
    await mail.close();
  };
  return { ...running, adminToken: admin.token, close };
}

/** An organization with a product, and an owner with an access token. */
export type Account = Awaited<ReturnType<typeof newAccount>>;

let accountCount = 0;

export async function newAccount({ url, store }: SharedServer) {
  const number = ++accountCount;
  const { token } = await addPerson(store);
  const api = manageClient(url, token);
  const { body: organization } = await api.post("/organizations", { name: "Acme" });
  const { body: product } = await api.post(`/organizations/${organization.id}/products`, {
    name: "Acme Editor",
  });
  return {
    number,
    token,
    api,
    organizationId: String(organization.id),
    productId: String(product.id),
    apiKey: String(product.api_key),
  };
}

/** The values of an account in place of those that a page shows. */
export function filledIn(text: string, account: Account, server: string): string {
  return text
    .replaceAll(/(?:127\.0\.0\.1|localhost):3000/g, new URL(server).host)
    .replaceAll("https://license.example.com", server)
    .replaceAll("csk_…", account.apiKey)
    .replaceAll("cst_…", account.token)
    .replaceAll("PRODUCT-ID", account.productId)
    .replaceAll("you@example.com", `you-${account.number}@example.com`);
}

/** As on the page of the variables. */
export function variablesOf(account: Account, server: string) {
  return {
    COUNTERSIGN_URL: server,
    COUNTERSIGN_API_KEY: account.apiKey,
    COUNTERSIGN_TOKEN: account.token,
    ORGANIZATION_ID: account.organizationId,
    PRODUCT_ID: account.productId,
  };
}
