import { afterEach, beforeAll, expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type { Page } from "playwright-core";
import { expectErrors, looksRight, phone, violationsOf, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { answers, type Billing, onFree, onPro } from "./billing-answers.ts";

const invoices = {
  data: [
    { number: "A1B2-0002", status: "open" },
    { number: "A1B2-0001", status: "paid" },
  ].map((invoice) => ({
    ...invoice,
    id: invoice.number,
    total: 2_900,
    currency: "usd",
    created_at: "2026-11-17T10:00:00.000Z",
    url: `https://invoice.example.com/${invoice.number}`,
    pdf_url: `https://invoice.example.com/${invoice.number}.pdf`,
  })),
  next_cursor: null,
};

dashboardTests("billing", (dashboard) => {
  /** As the billing clock and the events of payments do. */
  const setBilling = (terms: Partial<OrganizationRow>) =>
    dashboard.fixture.store.transaction((db) =>
      updateOrganization(db, dashboard.organizationId, {
        billing_state: "active",
        grace_ends_at: null,
        ...terms,
      }),
    );
  beforeAll(() => setBilling({ plan: "free" }));
  afterEach(() => setBilling({ plan: "free" }));

  /** Answers the page as a server with payments does, where Pro can be bought. */
  const answerBilling = async (page: Page, billing: () => Billing) => {
    const plans = await dashboard.manage("GET", "/plans");
    const pro = plans.data.find(({ plan }: { plan: string }) => plan === "pro");
    Object.assign(pro, { can_be_bought: true, trial_days: 14, max_products: 60 });
    await answers(page, "/plans", () => plans);
    await answers(page, "/organizations/*/billing", billing);
    await answers(page, "/organizations/*/billing/invoices", () => invoices);
  };
  /** The billing page of a server with payments. */
  const openPaid = async (billing: () => Billing, { width = 1440, search = "" } = {}) => {
    const page = await dashboard.page({ width });
    await answerBilling(page, billing);
    await page.goto(`${dashboard.home}/settings/billing${search}`);
    await page.getByRole("heading", { name: "Current plan" }).waitFor();
    return page;
  };

  /** Answers a call with the URL of a page of the payment provider. Returns what is sent. */
  const atProvider = async (page: Page, call: "checkout" | "portal", title: string) => {
    const sent: unknown[] = [];
    const url = `${dashboard.fixture.url}/at-provider`;
    await page.route(`**/billing/${call}`, (route) => {
      sent.push(route.request().postDataJSON());
      return route.fulfill({ json: { url } });
    });
    await page.route(url, (route) => route.fulfill({ contentType: "text/html", body: `<h1>${title}</h1>` }));
    return sent;
  };

  test("without payments, the billing page says whom to ask and offers nothing to buy", async () => {
    const page = await dashboard.page();
    await visit(page, dashboard.home);
    const navigation = page.getByRole("navigation", { name: "Main" });
    await navigation.getByRole("link", { name: "Settings" }).click();
    await navigation.getByRole("link", { name: "Billing" }).click();
    await page.getByRole("heading", { name: "Another plan" }).waitFor();
    await page.getByText("Ask its operator for another plan or higher limits.").waitFor();
    expect(await page.getByRole("button", { name: /Upgrade|Manage payment|Pay now/ }).count()).toBe(0);
    expect(await page.getByText(/per month/).count()).toBe(0);
    expect(await page.title()).toBe("Billing · Countersign");
    // The operator's contact is a link.
    await answers(page, "/organizations/*/billing", () => ({ ...onFree, payments_available: false }));
    await page.reload();
    const contact = page.getByRole("link", { name: "billing@example.com" });
    expect(await contact.getAttribute("href")).toBe("mailto:billing@example.com");
  });

  test("an organization without limits is told so, and nothing about payments", async () => {
    await setBilling({ plan: "enterprise" });
    const page = await dashboard.page();
    await page.goto(`${dashboard.home}/settings/billing`);
    await page.getByText("No limits", { exact: true }).waitFor();
    expect(await page.getByRole("heading", { name: /Another plan|Plans/ }).count()).toBe(0);
    expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });

  test("a plan is chosen, paid for at the provider, and confirmed on the way back", async () => {
    let billing = onFree;
    const page = await openPaid(() => billing);
    await page.getByText("Yearly, Pro saves $58.00 a year.").waitFor();
    await page.getByText("$29.00 per month").waitFor();
    await looksRight(page, "billing-plans");
    const sent = await atProvider(page, "checkout", "Pay here");
    await page.getByText("Yearly", { exact: true }).click();
    await page.getByText("$290.00 per year").waitFor();
    await page.getByRole("button", { name: "Upgrade to Pro" }).click();
    await page.getByRole("heading", { name: "Pay here" }).waitFor();
    expect(sent).toEqual([{ plan: "pro", interval: "year" }]);

    await page.goto(`${dashboard.home}/settings/billing?checkout=done`);
    await page.getByText("Confirming your payment").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    billing = onPro;
    await page.getByText("Pro is active").waitFor();
    expect(page.url()).toBe(`${dashboard.home}/settings/billing`);
    await page.getByText("Next payment").waitFor();
    await page.getByRole("link", { name: "A1B2-0001" }).waitFor();
    await looksRight(page, "billing-confirmed");
  });

  test("a payment page that was left has charged nothing", async () => {
    expectErrors();
    const page = await openPaid(() => onFree, { width: phone.width, search: "?checkout=cancelled" });
    await page.getByText("Nothing was charged, and the plan has not changed.").waitFor();
    expect(page.url()).toBe(`${dashboard.home}/settings/billing`);
    // A refusal is shown where the button is.
    const json = { code: "payment_provider_failed", params: {}, detail: "It failed." };
    await page.route("**/billing/checkout", (route) => route.fulfill({ status: 502, json }));
    await page.getByRole("button", { name: "Upgrade to Pro" }).click();
    await page.getByRole("alert").filter({ hasText: "The payment provider could not be reached" }).waitFor();
    await looksRight(page, "billing-checkout-failed");
  });

  test("a plan with version checks is not left before the organization has chosen what happens", async () => {
    await setBilling({ plan: "pro", had_version_module: 1 });
    const path = `/organizations/${dashboard.organizationId}`;
    const stored = async () => (await dashboard.manage("GET", path)).version_checks_on_downgrade;
    const page = await openPaid(() => onPro);
    await page.getByRole("heading", { name: "Version checks after a downgrade" }).waitFor();
    await atProvider(page, "portal", "Your subscription");
    await page.getByRole("button", { name: "Switch to Free" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("2 products use them").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await stored()).toBe("enforce");
    await dialog.getByText("Only report versions").click();
    await dialog.getByRole("button", { name: "Continue to the payment account" }).click();
    await page.getByRole("heading", { name: "Your subscription" }).waitFor();
    expect(await stored()).toBe("report");

    // The choice stays changeable after the downgrade.
    await setBilling({ plan: "free", had_version_module: 1, billing_state: "cancelled" });
    const version_checks = { included: false, product_count: 2, on_downgrade: "report" } as const;
    await openPaid(() => ({ ...onFree, billing_state: "cancelled", version_checks }));
    await page.getByText("The subscription has ended").waitFor();
    await page.getByRole("radio", { name: "Keep refusing versions" }).click();
    await page.getByText("Versions stay refused.").waitFor();
    expect(await stored()).toBe("enforce");
    await looksRight(page, "billing-ended");
  });

  test.each([
    ["grace", Date.now() + 4 * dayMs, "A payment is overdue"],
    ["suspended", null, "Suspended because a payment is overdue"],
  ] as const)("in the state %s, every page says so, and the billing page offers to pay", async (...row) => {
    const [billing_state, endsAt, title] = row;
    await setBilling({ plan: "pro", billing_state, grace_ends_at: endsAt });
    const grace_ends_at = endsAt === null ? null : new Date(endsAt).toISOString();
    const page = await openPaid(() => ({ ...onPro, billing_state, grace_ends_at }));
    await page.getByText(title, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Pay now" }).waitFor();
    await looksRight(page, `billing-${billing_state}`);
    await visit(page, dashboard.home);
    await page.getByRole("alert").getByRole("link", { name: "Open billing" }).waitFor();
    await looksRight(page, `banner-${billing_state}`);
  });

  /** Creates a product, which is refused after `refuse`. Returns the refusal, after which the input is still there. */
  const refusedProduct = async (page: Page, refuse: () => Promise<unknown>, text: string) => {
    await page.goto(`${dashboard.home}/products/new`);
    const name = page.getByRole("textbox", { name: "Name" });
    await name.fill("Vega");
    await refuse();
    await page.getByRole("button", { name: "Create product" }).click();
    const alert = page.getByRole("alert").filter({ hasText: text });
    await alert.waitFor();
    expect(await name.inputValue()).toBe("Vega");
    return alert.getByRole("link", { name: "Open billing" });
  };

  test("a refusal because of payment keeps the input and leads to the billing page", async () => {
    const page = await dashboard.page();
    const suspend = () => setBilling({ plan: "pro", billing_state: "suspended" });
    const link = await refusedProduct(page, suspend, "so nothing can be changed here");
    expect(await link.getAttribute("href")).toBe(`/o/${dashboard.slug}/settings/billing`);
    expect(await violationsOf(page)).toEqual([]);
  });

  test("a refusal because of a limit names the limit and what is used, and leads to the billing page", async () => {
    const page = await dashboard.page(phone);
    const limit = () => setBilling({ plan: "free", max_products_override: 1 });
    const link = await refusedProduct(page, limit, "limits products to 1, and this organization has 1");
    await link.click();
    // The input is not discarded without asking.
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByText("1 of 1").waitFor();
    await setBilling({ max_products_override: null });
  });

  test("members see the billing page as far as their role allows, and the banner tells the others whom to ask", async () => {
    await setBilling({ plan: "pro" });
    const viewer = await dashboard.addMember(["billing:view"]);
    const seller = await dashboard.addMember(["licenses:view"]);
    await setBilling({ plan: "pro", billing_state: "suspended" });
    const page = await dashboard.pageFor(viewer);
    await answerBilling(page, () => ({ ...onPro, billing_state: "suspended" }));
    await page.goto(`${dashboard.home}/settings/billing`);
    await page.getByText("Tell the owner, or someone who manages billing.").first().waitFor();
    expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Billing" }).waitFor();
    expect(await page.getByRole("link", { name: "General", exact: true }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);

    const other = await dashboard.pageFor(seller);
    await other.goto(`${dashboard.home}/settings/billing`);
    await other.getByRole("heading", { name: "You don't have permission to see this page" }).waitFor();
    await other.getByRole("alert").filter({ hasText: "Tell the owner" }).waitFor();
  });

  test("a billing page that cannot be loaded says so and tries again on request", async () => {
    expectErrors();
    const page = await dashboard.page(phone);
    await page.route("**/api/**/billing", (route) => route.fulfill({ status: 500, body: "{}" }));
    await page.goto(`${dashboard.home}/settings/billing`);
    const retry = page.getByRole("button", { name: "Try again" });
    await retry.waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.unroute("**/api/**/billing");
    await retry.click();
    await page.getByRole("heading", { name: "Current plan" }).waitFor();
  });

  test("amounts and dates of the billing page are in the reader's language", async () => {
    const page = await openPaid(() => ({
      ...onPro,
      subscription: onPro.subscription && { ...onPro.subscription, amount: 4_300, currency: "jpy" },
    }));
    await page.getByText("¥4,300 per month").waitFor();
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitemradio", { name: "Deutsch" }).click();
    await page.getByText(/4\.300\s¥ pro Monat/).waitFor();
    await page.getByText("17.12.2026").waitFor();
    const amount = page.getByRole("cell", { name: /29,00\s\$/ });
    await amount.first().waitFor();
    await page.evaluate('localStorage.setItem("countersign.language", "es")');
    await page.reload();
    await page.getByText("Próximo pago").waitFor();
  });
});
