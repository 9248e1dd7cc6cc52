import type { Page } from "playwright-core";
import type { Seller } from "./seller.ts";

export interface Picture {
  readonly name: string;
  readonly size: { readonly width: number; readonly height: number };
  /** Shows what the picture is of. Someone is signed in already. */
  readonly open: (page: Page, seller: Seller) => Promise<void>;
  /** Who is signed in: the seller in the dashboard, or a customer in the portal. */
  readonly as: "seller" | "customer";
}

const desktop = { width: 1280, height: 800 };
const tall = { width: 1280, height: 1040 };
const phone = { width: 390, height: 844 };

const home = "/o/northwind-audio";

export const pictures: readonly Picture[] = [
  dashboard("overview", ({ url }) => `${url}${home}`),
  dashboard("licenses", ({ url }) => `${url}${home}/licenses`),
  dashboard("license", ({ url, fullLicenseId }) => `${url}${home}/licenses/${fullLicenseId}`),
  dashboard("requests", ({ url }) => `${url}${home}/requests`),
  { ...dashboard("request", ({ url, refusedId }) => `${url}${home}/requests/${refusedId}`), size: tall },
  dashboard("analytics", ({ url }) => `${url}${home}/analytics?range=7d`),
  dashboard("webhook", ({ url, webhookId }) => `${url}${home}/webhooks/${webhookId}`),
  dashboard(
    "versions",
    ({ url, versionedProductId }) => `${url}/o/harbor-systems/products/${versionedProductId}/versions`,
  ),
  {
    ...dashboard("change", ({ url, productId }) => `${url}${home}/products/${productId}/shadow`),
    size: tall,
    async open(page, seller) {
      await page.goto(`${seller.url}${home}/products/${seller.productId}/shadow`);
      await page.getByRole("button", { name: "Try", exact: false }).first().click();
      await page.getByRole("heading", { level: 2 }).nth(1).waitFor();
    },
  },
  { ...dashboard("overview-phone", ({ url }) => `${url}${home}`), size: phone },
  portal("portal", desktop, ({ url, fullLicenseId }) => `${url}/portal/licenses/${fullLicenseId}`),
  portal("portal-phone", phone, ({ url }) => `${url}/portal`),
];

function dashboard(name: string, address: (seller: Seller) => string): Picture {
  return { name, size: desktop, as: "seller", open: opens(address) };
}

function portal(name: string, size: Picture["size"], address: (seller: Seller) => string): Picture {
  return { name, size, as: "customer", open: opens(address) };
}

function opens(address: (seller: Seller) => string): Picture["open"] {
  return async (page, seller) => {
    await page.goto(address(seller));
  };
}
