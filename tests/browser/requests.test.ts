import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { looksRight, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

dashboardTests("requests", (dashboard) => {
  let license: { id: string; license_key: string };
  let page: Page;
  /** The ID of the request that was refused because of the IP limit. */
  let refused: string;

  beforeAll(async () => {
    const customer = { customer_email: "carla@example.com", customer_name: "Carla" };
    license = await dashboard.addLicense({ ...customer, is_lifetime: true, max_ips: 1 });
    await validate(license.license_key, "203.0.113.7", { version: "2.1.0", device_id: "carla-desktop" });
    await validate("no such key", "203.0.113.99");
    refused = await validate(license.license_key, "198.51.100.23", { device_id: "carla-laptop" });
    await until("all requests are in the log", async () => {
      const { data } = await dashboard.manage("GET", `/organizations/${dashboard.organizationId}/requests`);
      return data.length === 3;
    });
    page = await dashboard.page();
  });

  test("the request log lists and filters requests, and keeps the filters in the URL", async () => {
    await visit(page, dashboard.home);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Requests" }).click();
    await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
    await row("Valid").waitFor();
    expect(await rows().count()).toBe(4);
    await looksRight(page, "requests-list");

    await page.getByText("Refused", { exact: true }).click();
    await page.waitForURL(/refused=true/);
    await row("Valid").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("combobox", { name: "Outcome" }).fill("limit");
    await page.getByRole("option", { name: "IP limit reached" }).click();
    await page.waitForURL(/outcome=/);
    await page.getByRole("textbox", { name: "Device ID" }).fill("carla-laptop");
    await page.waitForURL(/device_id=carla-laptop/);
    const duration = page.getByRole("textbox", { name: "Duration" });
    await duration.fill("quick");
    await page.getByText("Enter a number of milliseconds").waitFor();
    await duration.fill("0,001");
    await page.waitForURL(/min_duration_ms=0.001/);
    expect(await duration.inputValue()).toBe("0,001");
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await row("License not found").waitFor({ state: "detached" });
    await row("IP limit reached").waitFor();
    expect(await rows().count()).toBe(2);
    await looksRight(page, "requests-filtered");

    await page.reload();
    await row("IP limit reached").waitFor();
    expect(await rows().count()).toBe(2);
    await page.getByRole("button", { name: "Remove filter: Device: carla-laptop" }).click();
    await page.waitForURL((url) => !url.search.includes("device_id"));
  });

  test("the request log finds what is pasted: a request ID, a license key and an IP address", async () => {
    const find = async (text: string) => {
      await visit(page, `${dashboard.home}/requests`);
      await page.getByRole("searchbox", { name: "Find a request" }).fill(text);
      await page.keyboard.press("Enter");
    };
    await find(`X-Request-Id: ${refused}`);
    await page.waitForURL(`${dashboard.home}/requests/${refused}`);
    await find(license.license_key.toLowerCase());
    await page.waitForURL(`${dashboard.home}/requests?license_id=${license.id}`);
    await find("203.0.113.99");
    await page.waitForURL(`${dashboard.home}/requests?ip=203.0.113.99`);
    await row("License not found").waitFor();
    expect(await rows().count()).toBe(2);
    await find("019a8f2e-4c1d-7abc-8def-0123456789ab");
    await page.getByText("No request and no license has this ID.").waitFor();
  });

  test("the request log says how far back it has searched, and continues only on request", async () => {
    const asked: (string | null)[] = [];
    await page.route(/\/api\/.*\/requests\?.*version=rare/, (route) => {
      const cursor = new URL(route.request().url()).searchParams.get("cursor");
      asked.push(cursor);
      const found = { data: [], kept_since: "2026-11-01T00:00:00.000Z" };
      const early = { next_cursor: "older", searched_until: "2026-11-16T08:30:00.000Z" };
      const complete = { next_cursor: null, searched_until: null };
      return route.fulfill({ json: { ...found, ...(cursor === null ? early : complete) } });
    });
    await visit(page, `${dashboard.home}/requests?version=rare`);
    await page.getByRole("heading", { name: "Nothing found so far" }).waitFor();
    expect(asked).toEqual([null]);
    await page.getByRole("button", { name: "Search further back" }).click();
    await page.getByRole("heading", { name: "No matching requests" }).waitFor();
    expect(asked).toEqual([null, "older"]);
  });

  test("the request log says why a request was refused, and what it would get now", async () => {
    const { manage } = dashboard;
    await visit(page, `${dashboard.home}/requests/${refused}`);
    await page.getByText("Refused: IP limit reached").waitFor();
    const why = page.getByRole("list", { name: "Why?" });
    const limit = why.getByRole("listitem").filter({ hasText: "IP limit" });
    expect(await limit.textContent()).toContain("198.51.100.23 was not registered, and no slot was free");
    expect(await why.getByRole("listitem").last().textContent()).toContain("Not reached");
    await page.getByText("The same: IP limit reached.").waitFor();
    await looksRight(page, "request-refused");

    await manage("PATCH", `/licenses/${license.id}`, { max_ips: 2 });
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByText("Then: IP limit reached. Now: Valid.").waitFor();
    const now = page.getByRole("list", { name: "What would it say now?" });
    expect(await now.getByRole("listitem").filter({ hasText: "changed" }).count()).toBe(1);
    // Explaining has registered nothing.
    expect((await manage("GET", `/licenses/${license.id}`)).current_unique_ip_count).toBe(1);
    await manage("PATCH", `/licenses/${license.id}`, { max_ips: 1 });
  });

  test("a request is tried on the license's page, which shows its last refusal and its requests", async () => {
    await visit(page, `${dashboard.home}/licenses/${license.id}`);
    await page.getByText("Last refused").waitFor();
    // What is further down is rendered when the user scrolls to it.
    await page.getByRole("heading", { name: "Try it" }).waitFor();
    await page.mouse.move(700, 600);
    await page.mouse.wheel(0, 5_000);
    for (const [ip, answer] of [
      ["nonsense", "Enter an IP address, such as 203.0.113.7."],
      ["192.0.2.1", "Refused: validate would return ip_limit_reached."],
      ["203.0.113.7", "Accepted: validate would return active."],
    ] as const) {
      await page.getByRole("textbox", { name: "IP address", exact: true }).fill(ip);
      await page.getByRole("button", { name: "Try", exact: true }).click();
      await page.getByText(answer).waitFor();
    }
    await looksRight(page, "license-try-request");
    const requests = page.getByRole("table", { name: "Requests" }).getByRole("row");
    expect(await requests.count()).toBe(3);
    await page.getByRole("link", { name: "carla-desktop" }).first().waitFor();
    await page.getByRole("link", { name: "Why?", exact: true }).click();
    await page.waitForURL(`${dashboard.home}/requests/${refused}`);
  });

  test("the request log shows requests as they happen, and those of a pause when it is resumed", async () => {
    await visit(page, `${dashboard.home}/requests`);
    await row("Valid").waitFor();
    await page.getByRole("switch", { name: "Live" }).click();
    await page.waitForURL(/live=true/);
    await page.getByText("New requests appear at the top.").waitFor();
    await validate(license.license_key, "203.0.113.7", { device_id: "live-1" });
    await page.getByRole("link", { name: "live-1" }).waitFor();
    expect(await rows().nth(1).textContent()).toContain("live-1");

    await page.getByRole("button", { name: "Pause" }).click();
    await validate(license.license_key, "203.0.113.7", { device_id: "live-2" });
    await page.getByRole("button", { name: "Resume (1 waiting)" }).waitFor();
    expect(await page.getByRole("link", { name: "live-2" }).count()).toBe(0);
    await looksRight(page, "requests-live-paused");
    await page.getByRole("button", { name: "Resume (1 waiting)" }).click();
    await page.getByRole("link", { name: "live-2" }).waitFor();
    expect(await page.getByRole("link", { name: "live-1" }).count()).toBe(1);
  });

  /** Returns the request ID. */
  async function validate(license_key: string, ip: string, more: object = {}): Promise<string> {
    const { headers } = await dashboard.api.validate({ license_key, ...more }, { "x-forwarded-for": ip });
    return headers.get("x-request-id") ?? "";
  }

  function rows() {
    return page.getByRole("table", { name: "Requests" }).getByRole("row");
  }

  function row(outcome: string) {
    return rows().filter({ hasText: outcome }).first();
  }
});
