import { expect, setDefaultTimeout, test } from "bun:test";
import { seller as sellerShape } from "@countersign/contract/portal/shapes";
import type { TestDatabase } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { hostileSvg, pngFile, svgFile } from "../support/logo-files.ts";
import { openManageFixture, type Person } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

/** Organizations, and what customers see of them. */
async function openBranding(make: () => Promise<TestDatabase>) {
  const fixture = await openManageFixture(make);
  const organization = async (name = "Acme") => {
    const owner = await fixture.person();
    const { body } = await owner.api.post("/organizations", { name });
    const product = await owner.api.post(`/organizations/${body.id}/products`, { name: "Tool" });
    return {
      owner,
      id: String(body.id),
      slug: String(body.slug),
      createdAt: String(body.created_at),
      productId: String(product.body.id),
      path: `/organizations/${body.id}/branding`,
    };
  };
  const upload = (by: Person, path: string, file: string | Uint8Array<ArrayBuffer>, type = "image/svg+xml") =>
    by.api.send("PUT", `${path}/logo`, new Blob([file]), { "content-type": type });
  const portal = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${fixture.url}/api/portal/v1${path}`, { headers });
  const sellerOf = async (slug: string) =>
    sellerShape.strict().parse(await (await portal(`/sellers/${slug}`)).json());
  const logo = async (url: string) => {
    const response = await fetch(fixture.url + url);
    return { response, text: await response.text() };
  };
  const auditOf = async (organizationId: string) => {
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .select(["before", "after", "actor_id"])
      .where("organization_id", "=", organizationId)
      .where("action", "=", "organization.branding_updated")
      .orderBy("id")
      .execute();
    return rows.map(({ actor_id: actorId, before, after }) => ({
      actorId,
      before: JSON.parse(before ?? "null"),
      after: JSON.parse(after ?? "null"),
    }));
  };
  const acme = await organization();
  return { ...fixture, acme, organization, upload, portal, sellerOf, logo, auditOf };
}

testsOn("sqlite", "branding", openBranding, (fixture) => {
  test("an organization without branding has none, and its name and language apply", async () => {
    const { owner, path, slug, createdAt } = await fixture.organization("Nordlicht");
    const { body, headers } = await owner.api.get(path);
    expect(body).toEqual({
      display_name: null,
      logo_url: null,
      accent_color: null,
      accent_color_dark: null,
      accent_text_dark: null,
      support_email: null,
      support_url: null,
      links: [],
      locale: null,
      portal_url: expect.stringMatching(new RegExp(`/portal\\?seller=${slug}$`)),
      updated_at: createdAt,
    });
    expect(headers.get("etag")).toBe(`"${createdAt}"`);
    expect(await fixture.sellerOf(slug)).toMatchObject({
      name: "Nordlicht",
      locale: "en",
      links: [],
      logo_url: null,
    });
  });

  test("a change is stored, audited and shown to customers; what is omitted stays", async () => {
    const { owner, path, slug, id } = await fixture.organization();
    const links = [{ title: "Manual", url: "https://example.com/manual" }];
    const stored = {
      display_name: "Acme Audio",
      accent_color: "#1d4ed8",
      support_email: "help@example.com",
      support_url: "https://example.com/help",
      links,
      locale: "de",
    };
    const typed = { ...stored, display_name: " Acme Audio ", accent_color: "#1D4ED8" };
    const first = await owner.api.patch(path, typed);
    expect([first.status, first.body]).toMatchObject([
      200,
      {
        ...stored,
        accent_color_dark: expect.stringMatching(/^#[0-9a-f]{6}$/),
        accent_text_dark: expect.stringMatching(/^#(000000|ffffff)$/),
      },
    ]);
    const { accent_color_dark, accent_text_dark } = first.body;
    const second = await owner.api.patch(path, { support_email: null });
    expect(second.body).toMatchObject({
      ...stored,
      accent_color_dark,
      accent_text_dark,
      support_email: null,
    });
    expect((await owner.api.get(path)).body).toEqual(second.body);
    const { display_name: name, ...shown } = stored;
    expect(await fixture.sellerOf(slug)).toEqual({
      ...shown,
      accent_color_dark,
      accent_text_dark,
      organization_id: id,
      name,
      slug,
      logo_url: null,
      support_email: null,
      locale: "de",
      is_suspended: false,
    });
    const nothing = {
      display_name: null,
      accent_color: null,
      support_email: null,
      support_url: null,
      links: [],
      locale: null,
    };
    const actorId = owner.userId;
    expect(await fixture.auditOf(id)).toEqual([
      { actorId, before: nothing, after: stored },
      { actorId, before: { support_email: "help@example.com" }, after: { support_email: null } },
    ]);
  });

  test("what is refused is refused at the field", async () => {
    const link = { title: "x", url: "https://example.com" };
    for (const [body, field, code] of [
      [{ accent_color: "#ffcc00" }, "accent_color", "accent_contrast_too_low"],
      [{ accent_color: "#fff" }, "accent_color", "accent_color_invalid"],
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
    ] as const) {
      const refused = await fixture.acme.owner.api.patch(fixture.acme.path, body);
      expect([refused.status, refused.body.errors]).toEqual([
        422,
        [expect.objectContaining({ field, code })],
      ]);
    }
  });

  test("a color with too little contrast is refused with a darker one, which is accepted", async () => {
    const { owner, path } = await fixture.organization();
    const refused = await owner.api.patch(path, { accent_color: "#ffcc00" });
    const { suggestion } = refused.body.errors[0].params;
    expect(suggestion).toMatch(/^#[0-9a-f]{6}$/);
    expect((await owner.api.patch(path, { accent_color: suggestion })).body.accent_color).toBe(suggestion);
  });

  test("a change based on an outdated read is refused; the first one is not", async () => {
    const { owner, path, id } = await fixture.organization();
    const read = (await owner.api.get(path)).body.updated_at;
    // Another change of the organization does not concern its branding.
    await owner.api.patch(`/organizations/${id}`, { name: "Renamed" });
    const first = await owner.api.patch(path, { display_name: "First", updated_at: read });
    expect(first.status).toBe(200);
    expect((await owner.api.patch(path, { display_name: "Second", updated_at: read })).status).toBe(412);
    const late = await owner.api.patch(path, { display_name: "Third" }, { "if-match": `"${read}"` });
    expect([late.status, late.body.code]).toEqual([412, "changed_meanwhile"]);
    const old = { "content-type": "image/svg+xml", "if-match": `"${read}"` };
    expect((await owner.api.send("PUT", `${path}/logo`, svgFile(), old)).status).toBe(412);
    const current = { "if-match": String(first.headers.get("etag")) };
    expect((await owner.api.patch(path, { display_name: "Fourth" }, current)).status).toBe(200);
    expect((await owner.api.get(path)).body.display_name).toBe("Fourth");
  });

  test("of simultaneous first changes based on the same read, one is stored", async () => {
    const { owner, path } = await fixture.organization();
    const { updated_at } = (await owner.api.get(path)).body;
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, at) => owner.api.patch(path, { display_name: `Name ${at}`, updated_at })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412]);
  });

  test("a visitor learns nothing about a suspension, and its branding cannot be changed meanwhile", async () => {
    const { owner, path, slug, id } = await fixture.organization();
    await fixture.admin.api.post(`/admin/organizations/${id}/suspend`, { reason: "Fraud" });
    const shown = await (await fixture.portal(`/sellers/${slug}`)).text();
    expect(shown).not.toContain("Fraud");
    expect(JSON.parse(shown).is_suspended).toBe(false);
    expect((await owner.api.patch(path, { display_name: "x" })).body.code).toBe("organization_suspended");
    expect((await fixture.upload(owner, path, svgFile())).body.code).toBe("organization_suspended");
  });

  test("emails to customers carry the display name as text, never as markup, and replies go to support", async () => {
    const { owner, path, productId } = await fixture.organization("Acme GmbH");
    const name = '<img src=x onerror="alert(1)"> & Co';
    await owner.api.patch(`/products/${productId}`, { deliver_license_by_email: true });
    const delivered = async () => {
      const to = `${newId()}@example.net`;
      await owner.api.post(`/products/${productId}/licenses`, { customer_email: to });
      const [email] = await openedEmails(fixture.store, { to });
      return email;
    };
    const before = await delivered();
    expect(before?.body_text).toContain("Acme GmbH");
    expect(before?.reply_to).toBeNull();
    await owner.api.patch(path, { display_name: name, support_email: "help@example.com" });
    const after = await delivered();
    expect(after?.body_text).toContain(name);
    expect(after?.body_html).toContain("&#60;img src=x");
    expect(after?.body_html).not.toContain("<img");
    expect(`${after?.body_text}${after?.body_html}`).not.toContain("Acme GmbH");
    expect(after?.reply_to).toBe("help@example.com");
  });

  test("a seller's text is data in every response, never a page", async () => {
    const { owner, path, slug } = await fixture.organization();
    const text = "</script><script>alert(1)</script>";
    await owner.api.patch(path, {
      display_name: text,
      links: [{ title: text, url: "https://example.com/?a=%3Cscript%3E" }],
    });
    const answer = await fixture.portal(`/sellers/${slug}`, { accept: "text/html" });
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(sellerShape.parse(await answer.json()).name).toBe(text);
  });
});

/** What a logo can contain, what is removed from it, and how long the worst one takes, is tested in the domain. */
testsOn("sqlite", "logos", openBranding, (fixture) => {
  test("a logo is served by its hash, with headers that let nothing run, and without cookies", async () => {
    const { owner, path, id, slug } = await fixture.organization();
    for (const [file, type, ending] of [
      [svgFile(), "image/svg+xml", "svg"],
      [pngFile({ text: "Author\0Ada Lovelace, 12 Secret Street" }), "image/png", "png"],
    ] as const) {
      const uploaded = await fixture.upload(owner, path, file, type);
      expect(uploaded.status).toBe(200);
      const url = String(uploaded.body.logo_url);
      expect(url).toMatch(new RegExp(`^/api/portal/v1/logos/[\\w-]{43}\\.${ending}$`));
      const { response, text } = await fixture.logo(url);
      expect(response.status).toBe(200);
      // Metadata of a PNG file is not published.
      expect(text).not.toContain("Secret Street");
      const header = (name: string) => response.headers.get(name);
      expect(header("content-type")).toBe(type);
      expect(header("x-content-type-options")).toBe("nosniff");
      expect(header("content-security-policy")).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      );
      expect(header("cross-origin-resource-policy")).toBe("same-origin");
      expect(header("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(header("set-cookie")).toBeNull();
      expect((await fixture.sellerOf(slug)).logo_url).toBe(url);
    }
    const removed = await owner.api.delete(`${path}/logo`);
    expect([removed.status, removed.body.logo_url]).toEqual([200, null]);
    const entries = await fixture.auditOf(id);
    expect(entries.map(({ after }) => Object.keys(after))).toEqual(Array(3).fill(["logo_hash"]));
    expect(entries.at(-1)?.after).toEqual({ logo_hash: null });
    expect(JSON.stringify(entries).length).toBeLessThan(2_000);
  });

  test("the kind of a logo follows from its content, whatever the header says", async () => {
    const { owner, path } = await fixture.organization();
    const png = await fixture.upload(owner, path, pngFile({ gray: 7 }), "image/svg+xml");
    expect(png.body.logo_url).toEndWith(".png");
    const svg = await fixture.upload(owner, path, svgFile('<path d="M0 0h4v4z"/>'), "image/png");
    expect(svg.body.logo_url).toEndWith(".svg");
    expect((await fixture.logo(svg.body.logo_url)).response.headers.get("content-type")).toBe(
      "image/svg+xml",
    );
    for (const type of ["text/html", "application/octet-stream", "image/jpeg", "application/json"]) {
      const refused = await fixture.upload(owner, path, svgFile(), type);
      expect([refused.status, refused.body.code]).toEqual([415, "wrong_content_type"]);
    }
  });

  test("a hostile SVG file is stored without anything that runs or loads something", async () => {
    const uploaded = await fixture.upload(fixture.acme.owner, fixture.acme.path, hostileSvg);
    expect(uploaded.status).toBe(200);
    const { text } = await fixture.logo(uploaded.body.logo_url);
    expect(text).toContain("<circle");
    expect(text).not.toMatch(
      /script|foreignObject|iframe|\bon\w+=|tracker|data:|<image|<a\b|<animate|<set|<use|url\(/i,
    );
  });

  test("a file that is no logo is refused in words, and the logo stays", async () => {
    const { owner, path } = fixture.acme;
    const before = (await fixture.upload(owner, path, pngFile())).body;
    for (const [file, code] of [
      ["<html><script>alert(1)</script></html>", "logo_not_svg"],
      ["", "logo_not_svg"],
      [svgFile("<script>alert(1)</script>"), "logo_empty"],
      [svgFile(`<path d="M0 0h4"/>${" ".repeat(130 * 1024)}`), "logo_too_large"],
      [pngFile().subarray(0, 40), "logo_not_png"],
      [pngFile({ width: 1_025 }), "logo_wrong_size"],
    ] as const) {
      const refused = await fixture.upload(owner, path, file);
      expect(refused.status).toBe(422);
      expect(refused.body.errors).toEqual([expect.objectContaining({ field: "logo", code })]);
    }
    expect((await owner.api.get(path)).body).toEqual(before);
  });

  test("an upload is cut off at its limit", async () => {
    const large = await fixture.upload(
      fixture.acme.owner,
      fixture.acme.path,
      new Uint8Array(257 * 1024),
      "image/png",
    );
    expect([large.status, large.body.code]).toEqual([413, "body_too_large"]);
  });

  test("unknown logos and sellers do not exist, nor do those that show no product in the portal", async () => {
    const { owner, path, slug, productId } = await fixture.organization();
    const { body } = await fixture.upload(owner, path, svgFile('<path d="M1 1h4v4z"/>'));
    const name = String(body.logo_url).split("/").at(-1) ?? "";
    const names = [
      name.replace(".svg", ".png"),
      name.replace(".svg", ""),
      `${name}x`,
      `${"A".repeat(43)}.svg`,
    ];
    for (const unknown of [
      ...[...names, "..%2F..%2Fme", "%00"].map((other) => `/logos/${other}`),
      `/sellers/${newId()}`,
      "/sellers/%25",
    ])
      expect([unknown, (await fixture.portal(unknown)).status]).toEqual([unknown, 404]);
    expect((await fixture.portal(`/sellers/${slug}`)).status).toBe(200);
    await owner.api.patch(`/products/${productId}`, { portal_enabled: false });
    expect((await fixture.portal(`/sellers/${slug}`)).status).toBe(404);
  });
});
