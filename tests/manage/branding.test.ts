import { expect, test } from "bun:test";
import { seller as sellerShape } from "@countersign/contract/portal/shapes";
import { problemOf, statusesAtOnce } from "../support/answers.ts";
import { auditOf, recorded } from "../support/audit-of.ts";
import type { TestDatabase } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { hostileSvg, jpegFile, pngFile, svgFile, webpFile } from "../support/logo-files.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

/** Organizations, and what customers see of them. */
async function openBranding(make: () => Promise<TestDatabase>) {
  const fixture = await openManageFixture(make);
  const portal = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${fixture.url}/api/portal/v1${path}`, { headers });
  const organization = async (name = "Acme") => {
    const owner = await fixture.person();
    const { id, slug } = (await owner.api.post("/organizations", { name })).body;
    const path = `/organizations/${id}/branding`;
    await owner.api.post(`/organizations/${id}/products`, { name: "Tool", deliver_license_by_email: true });
    return {
      owner,
      path,
      id,
      slug,
      change: (changes: object, headers?: Record<string, string>) => owner.api.patch(path, changes, headers),
      upload: (file: string | Uint8Array<ArrayBuffer>, type = "image/svg+xml", headers = {}) =>
        owner.api.send("PUT", `${path}/logo`, new Blob([file]), { "content-type": type, ...headers }),
      /** What customers see. */
      shown: async () => sellerShape.strict().parse(await (await portal(`/sellers/${slug}`)).json()),
      audited: async () =>
        (await auditOf(fixture, id))
          .map(recorded)
          .filter(({ action }) => action === "organization.branding_updated"),
    };
  };
  return { ...fixture, organization, portal };
}

const none = {
  display_name: null,
  accent_color: null,
  support_email: null,
  support_url: null,
  links: [],
  locale: null,
};

testsOn("sqlite", "branding", openBranding, (fixture) => {
  test("an organization without branding has none, and its name and language apply", async () => {
    const { owner, path, id, slug, shown } = await fixture.organization("Nordlicht");
    const { created_at: createdAt } = (await owner.api.get(`/organizations/${id}`)).body;
    const { body, headers } = await owner.api.get(path);
    expect(body).toEqual({
      ...none,
      logo_url: null,
      accent_color_dark: null,
      accent_text_dark: null,
      portal_url: expect.stringMatching(new RegExp(`/portal\\?seller=${slug}$`)),
      updated_at: createdAt,
    });
    expect(headers.get("etag")).toBe(`"${createdAt}"`);
    const usual = { name: "Nordlicht", locale: "en", links: [], logo_url: null };
    expect(await shown()).toMatchObject(usual);
  });

  test("a change of branding is stored, audited and shown to customers, and omitted fields stay", async () => {
    const { owner, path, slug, id, change, shown, audited } = await fixture.organization();
    const stored = {
      display_name: "Acme Audio",
      accent_color: "#1d4ed8",
      support_email: "help@example.com",
      support_url: "https://example.com/help",
      locale: "de",
      links: [{ title: "Manual", url: "https://example.com/manual" }],
    };
    const first = await change({ ...stored, display_name: " Acme Audio ", accent_color: "#1D4ED8" });
    const { accent_color_dark, accent_text_dark } = first.body;
    const accent = { accent_color_dark, accent_text_dark };
    expect(first).toMatchObject({ status: 200, body: { ...stored, ...accent } });
    expect(accent_color_dark).toMatch(/^#[0-9a-f]{6}$/);
    expect(accent_text_dark).toMatch(/^#(000000|ffffff)$/);
    const second = await change({ support_email: null });
    expect(second.body).toMatchObject({ ...stored, ...accent, support_email: null });
    expect((await owner.api.get(path)).body).toEqual(second.body);
    const { display_name: name, ...others } = stored;
    const seller = { organization_id: id, name, slug, logo_url: null, is_suspended: false };
    expect(await shown()).toEqual({ ...others, ...accent, ...seller, support_email: null, locale: "de" });
    const entry = { action: "organization.branding_updated", actorId: owner.userId };
    expect(await audited()).toEqual([
      { ...entry, before: none, after: stored },
      { ...entry, before: { support_email: "help@example.com" }, after: { support_email: null } },
    ]);
  });

  const link = { title: "x", url: "https://example.com" };
  const darker = { params: { suggestion: expect.stringMatching(/^#[0-9a-f]{6}$/) } };
  test.each<[body: object, field: string, code: string, more?: object]>([
    // Which color that is: packages/domain/branding/accent-color.test.ts.
    [{ accent_color: "#ffcc00" }, "accent_color", "accent_contrast_too_low", darker],
    [{ accent_color: "#000000;background:url(//x)" }, "accent_color", "accent_color_invalid"],
    [{ display_name: "" }, "display_name", "too_short"],
    [{ display_name: "x".repeat(101) }, "display_name", "too_long"],
    [{ support_email: "nobody" }, "support_email", "not_an_email"],
    [{ support_url: "javascript:alert(1)" }, "support_url", "not_a_web_url"],
    [{ support_url: "javascript:alert(1)//https://example.com" }, "support_url", "not_a_web_url"],
    [{ support_url: "https://user:password@example.com" }, "support_url", "not_a_web_url"],
    [{ links: [{ ...link, url: "data:text/html,x" }] }, "links.0.url", "not_a_web_url"],
    [{ links: [{ ...link, title: "" }] }, "links.0.title", "too_short"],
    [{ links: Array(6).fill(link) }, "links", "too_many"],
    [{ locale: "fr" }, "locale", "not_one_of"],
    [{ logo_url: "https://example.com/logo.svg" }, "logo_url", "unknown_field"],
  ])("branding with %j is refused at %s: %s", async (body, field, code, more = {}) => {
    const refused = await (await fixture.organization()).change(body);
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ field, code, ...more }] } });
  });

  test("a change of branding that is based on an outdated read is refused, and the first one is not", async () => {
    const { owner, path, id, change, upload } = await fixture.organization();
    const { updated_at } = (await owner.api.get(path)).body;
    const outdated = { "if-match": `"${updated_at}"` };
    // Another change of the organization does not concern its branding.
    await owner.api.patch(`/organizations/${id}`, { name: "Renamed" });
    const statuses = await statusesAtOnce(5, (at) => change({ display_name: `Name ${at}`, updated_at }));
    expect(statuses).toEqual([200, 412, 412, 412, 412]);
    const first = await owner.api.get(path);
    for (const late of [
      await change({ display_name: "Late" }, outdated),
      await upload(svgFile(), "image/svg+xml", outdated),
    ])
      expect(problemOf(late)).toEqual([412, "changed_meanwhile"]);
    const current = { "if-match": String(first.headers.get("etag")) };
    expect(await change({ display_name: "Last" }, current)).toMatchObject({ body: { display_name: "Last" } });
  });

  test("a visitor learns nothing about a suspension, and gets what a seller wrote as data, never as a page", async () => {
    const { slug, id } = await fixture.organization("<script>alert(1)</script>");
    await fixture.admin.api.post(`/admin/organizations/${id}/suspend`, { reason: "Fraud" });
    const answer = await fixture.portal(`/sellers/${slug}`, { accept: "text/html" });
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const text = await answer.text();
    expect(text).not.toContain("Fraud");
    expect(JSON.parse(text).is_suspended).toBe(false);
  });

  test("emails to customers carry the display name as text, never as markup, and replies go to support", async () => {
    const { owner, id, change } = await fixture.organization("Acme GmbH");
    const name = '<img src=x onerror="alert(1)"> & Co';
    await change({ display_name: name, support_email: "help@example.com" });
    const [product] = (await owner.api.get(`/organizations/${id}/products`)).body.data;
    const to = `${newId()}@example.net`;
    await owner.api.post(`/products/${product.id}/licenses`, { customer_email: to });
    const [email] = await openedEmails(fixture.store, { to });
    expect(email?.reply_to).toBe("help@example.com");
    expect(email?.body_text).toContain(name);
    expect(email?.body_html).toContain("&#60;img src=x");
    expect(email?.body_html).not.toContain("<img");
    expect(`${email?.body_text}${email?.body_html}`).not.toContain("Acme GmbH");
  });
});

/** Which files can be a logo: packages/domain/branding/logo.test.ts. That nothing in one runs: tests/browser. */
testsOn("sqlite", "logos", openBranding, (fixture) => {
  test("a logo is served as it is by its hash, with headers that let nothing run, and without cookies", async () => {
    const { owner, path, upload, shown, audited } = await fixture.organization();
    for (const [file, type, ending] of [
      [Buffer.from(hostileSvg), "image/svg+xml", "svg"],
      [pngFile(), "image/png", "png"],
      [jpegFile(), "image/jpeg", "jpg"],
      [webpFile(), "image/webp", "webp"],
    ] as const) {
      const { body } = await upload(file, type);
      expect(body.logo_url).toMatch(new RegExp(`^/api/portal/v1/logos/[\\w-]{43}\\.${ending}$`));
      const response = await fetch(fixture.url + body.logo_url);
      const headers = Object.fromEntries(response.headers);
      expect([response.status, headers["set-cookie"]]).toEqual([200, undefined]);
      expect(headers).toMatchObject({
        "content-type": type,
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "public, max-age=31536000, immutable",
      });
      expect(Buffer.from(await response.arrayBuffer())).toEqual(file);
      expect((await shown()).logo_url).toBe(body.logo_url);
    }
    const removed = await owner.api.delete(`${path}/logo`);
    expect([removed.status, removed.body.logo_url]).toEqual([200, null]);
    const entries = await audited();
    expect(entries.map(({ after }) => Object.keys(after))).toEqual(Array(5).fill(["logo_hash"]));
    expect(entries.at(-1)?.after).toEqual({ logo_hash: null });
    expect(JSON.stringify(entries).length).toBeLessThan(3_000);
  });

  test("the kind of a logo follows from its content, whatever the header says", async () => {
    const { upload } = await fixture.organization();
    expect((await upload(pngFile({ gray: 7 }), "image/svg+xml")).body.logo_url).toEndWith(".png");
    const { logo_url } = (await upload(svgFile('<path d="M0 0h4v4z"/>'), "image/png")).body;
    expect(logo_url).toEndWith(".svg");
    expect((await fetch(fixture.url + logo_url)).headers.get("content-type")).toBe("image/svg+xml");
    for (const type of ["text/html", "application/json"])
      expect(problemOf(await upload(svgFile(), type))).toEqual([415, "wrong_content_type"]);
  });

  test("a file that is no logo is refused with a reason, and the logo stays", async () => {
    const { owner, path, upload } = await fixture.organization();
    const before = (await upload(pngFile())).body;
    for (const [file, code] of [
      ["<html><script>alert(1)</script></html>", "logo_not_a_picture"],
      ["", "logo_not_a_picture"],
      [pngFile().subarray(0, 30), "logo_not_a_picture"],
      [svgFile().replace("viewBox", "data-box"), "logo_without_size"],
      [pngFile({ width: 2_049 }), "logo_wrong_size"],
    ] as const)
      expect(await upload(file)).toMatchObject({ status: 422, body: { errors: [{ field: "logo", code }] } });
    expect((await owner.api.get(path)).body).toEqual(before);
  });

  /** Sellers who show no product in the portal: packages/store/queries/branding. */
  test("unknown logos and sellers do not exist", async () => {
    const { upload } = await fixture.organization();
    const url: string = (await upload(svgFile('<path d="M1 1h4v4z"/>'))).body.logo_url;
    const name = url.split("/").at(-1) ?? "";
    const others = [name.replace(".svg", ".png"), name.replace(".svg", ""), `${name}x`];
    const logos = [...others, `${"A".repeat(43)}.svg`, "..%2F..%2Fme", "%00"].map((one) => `/logos/${one}`);
    for (const unknown of [...logos, `/sellers/${newId()}`, "/sellers/%25"])
      expect([unknown, (await fixture.portal(unknown)).status]).toEqual([unknown, 404]);
  });
});
