import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { seller as sellerShape } from "@countersign/contract/portal/shapes";
import { databases } from "../support/databases.ts";
import { hostileSvg, pngFile, svgFile } from "../support/logo-files.ts";
import { type MailServer, openMailServer } from "../support/mail-server.ts";
import { type ManageFixture, openManageFixture, type Person } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

describe.each(databases)("branding on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let mail: MailServer;
  beforeAll(async () => {
    mail = await openMailServer();
    fixture = await openManageFixture(make, {
      COUNTERSIGN_SMTP_URL: mail.url,
      COUNTERSIGN_MAIL_FROM: "license@example.com",
    });
  });
  afterAll(async () => {
    await fixture.close();
    await mail.close();
  });

  const organization = async (name = "Acme") => {
    const owner = await fixture.person();
    const { body } = await owner.api.post("/organizations", { name });
    const { id, slug, created_at: createdAt } = body as Record<string, string>;
    const product = await owner.api.post(`/organizations/${id}/products`, { name: "Tool" });
    return {
      owner,
      id: String(id),
      slug: String(slug),
      createdAt,
      productId: String(product.body.id),
      path: `/organizations/${id}/branding`,
    };
  };
  const upload = (by: Person, path: string, file: string | Uint8Array<ArrayBuffer>, type = "image/svg+xml") =>
    by.api.send("PUT", `${path}/logo`, new Blob([file]), { "content-type": type });
  const portal = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${fixture.server.url}/api/portal/v1${path}`, { headers });
  const sellerOf = async (slug: string) =>
    sellerShape.strict().parse(await (await portal(`/sellers/${slug}`)).json());
  const logo = async (url: string) => {
    const response = await fetch(fixture.server.url + url);
    return { response, text: await response.text() };
  };
  const auditOf = async (organizationId: string) => {
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .select(["action", "before", "after", "actor_id"])
      .where("organization_id", "=", organizationId)
      .where("action", "=", "organization.branding_updated")
      .orderBy("id")
      .execute();
    return rows.map((row) => ({
      actorId: row.actor_id,
      before: JSON.parse(row.before ?? "null"),
      after: JSON.parse(row.after ?? "null"),
    }));
  };

  test("an organization without branding has none, and its name and language apply", async () => {
    const { owner, path, slug, createdAt } = await organization("Nordlicht");
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
    expect(await sellerOf(slug)).toMatchObject({
      name: "Nordlicht",
      locale: "en",
      links: [],
      logo_url: null,
    });
  });

  test("a change is stored, audited and shown to customers; what is omitted stays", async () => {
    const { owner, path, slug, id } = await organization();
    const links = [{ title: "Manual", url: "https://example.com/manual" }];
    const first = await owner.api.patch(path, {
      display_name: " Acme Audio ",
      accent_color: "#1D4ED8",
      support_email: "help@example.com",
      support_url: "https://example.com/help",
      links,
      locale: "de",
    });
    expect(first.status).toBe(200);
    const expected = {
      display_name: "Acme Audio",
      accent_color: "#1d4ed8",
      accent_color_dark: expect.stringMatching(/^#[0-9a-f]{6}$/),
      accent_text_dark: expect.stringMatching(/^#(000000|ffffff)$/),
      support_email: "help@example.com",
      support_url: "https://example.com/help",
      links,
      locale: "de",
    };
    expect(first.body).toMatchObject(expected);
    const second = await owner.api.patch(path, { support_email: null });
    expect(second.body).toMatchObject({ ...expected, support_email: null });
    expect((await owner.api.get(path)).body).toEqual(second.body);
    expect(await sellerOf(slug)).toEqual({
      organization_id: id,
      name: "Acme Audio",
      slug,
      logo_url: null,
      accent_color: "#1d4ed8",
      accent_color_dark: second.body.accent_color_dark,
      accent_text_dark: second.body.accent_text_dark,
      support_email: null,
      support_url: "https://example.com/help",
      links,
      locale: "de",
      is_suspended: false,
    });
    expect(await auditOf(id)).toEqual([
      {
        actorId: owner.userId,
        before: {
          display_name: null,
          accent_color: null,
          support_email: null,
          support_url: null,
          links: [],
          locale: null,
        },
        after: {
          display_name: "Acme Audio",
          accent_color: "#1d4ed8",
          support_email: "help@example.com",
          support_url: "https://example.com/help",
          links,
          locale: "de",
        },
      },
      {
        actorId: owner.userId,
        before: { support_email: "help@example.com" },
        after: { support_email: null },
      },
    ]);
  });

  test.each([
    [{ accent_color: "#ffcc00" }, "accent_color", "accent_contrast_too_low"],
    [{ accent_color: "red" }, "accent_color", "accent_color_invalid"],
    [{ accent_color: "#fff" }, "accent_color", "accent_color_invalid"],
    [{ accent_color: "#000000;background:url(//x)" }, "accent_color", "accent_color_invalid"],
    [{ display_name: "" }, "display_name", "too_short"],
    [{ display_name: "x".repeat(101) }, "display_name", "too_long"],
    [{ support_email: "nobody" }, "support_email", "not_an_email"],
    [{ support_url: "javascript:alert(1)" }, "support_url", "not_a_web_url"],
    [{ support_url: "https://user:password@example.com" }, "support_url", "not_a_web_url"],
    [{ links: [{ title: "x", url: "data:text/html,x" }] }, "links.0.url", "not_a_web_url"],
    [{ links: [{ title: "", url: "https://example.com" }] }, "links.0.title", "too_short"],
    [
      { links: Array.from({ length: 6 }, () => ({ title: "x", url: "https://example.com" })) },
      "links",
      "too_many",
    ],
    [{ locale: "fr" }, "locale", "not_one_of"],
    [{ logo_url: "https://example.com/logo.svg" }, "logo_url", "unknown_field"],
    [{ logo: "AAAA" }, "logo", "unknown_field"],
  ])("%j is refused at the field", async (body, field, code) => {
    const { owner, path } = await organization();
    const refused = await owner.api.patch(path, body);
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual([expect.objectContaining({ field, code })]);
  });

  test("a color with too little contrast is refused with a darker one, which is accepted", async () => {
    const { owner, path } = await organization();
    const refused = await owner.api.patch(path, { accent_color: "#ffcc00" });
    const { suggestion } = refused.body.errors[0].params;
    expect(suggestion).toMatch(/^#[0-9a-f]{6}$/);
    expect((await owner.api.patch(path, { accent_color: suggestion })).body.accent_color).toBe(suggestion);
  });

  test("a change based on an outdated read is refused; the first one is not", async () => {
    const { owner, path, id } = await organization();
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
    const { owner, path } = await organization();
    const { updated_at } = (await owner.api.get(path)).body;
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, at) => owner.api.patch(path, { display_name: `Name ${at}`, updated_at })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412]);
  });

  test("a logo is served by its hash, with headers that let nothing run, and without cookies", async () => {
    const { owner, path, id, slug } = await organization();
    for (const [file, type, ending] of [
      [svgFile(), "image/svg+xml", "svg"],
      [pngFile(), "image/png", "png"],
    ] as const) {
      const uploaded = await upload(owner, path, file, type);
      expect(uploaded.status).toBe(200);
      const url = String(uploaded.body.logo_url);
      expect(url).toMatch(new RegExp(`^/api/portal/v1/logos/[\\w-]{43}\\.${ending}$`));
      const { response } = await logo(url);
      expect(response.status).toBe(200);
      const header = (name: string) => response.headers.get(name);
      expect(header("content-type")).toBe(type);
      expect(header("x-content-type-options")).toBe("nosniff");
      expect(header("content-security-policy")).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      );
      expect(header("cross-origin-resource-policy")).toBe("same-origin");
      expect(header("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(header("set-cookie")).toBeNull();
      expect((await sellerOf(slug)).logo_url).toBe(url);
    }
    const removed = await owner.api.delete(`${path}/logo`);
    expect([removed.status, removed.body.logo_url]).toEqual([200, null]);
    const entries = await auditOf(id);
    expect(entries.map(({ after }) => Object.keys(after))).toEqual([
      ["logo_hash"],
      ["logo_hash"],
      ["logo_hash"],
    ]);
    expect(entries.at(-1)?.after).toEqual({ logo_hash: null });
    expect(JSON.stringify(entries).length).toBeLessThan(2_000);
  });

  test("the kind of a logo follows from its content, whatever the header says", async () => {
    const { owner, path } = await organization();
    const png = await upload(owner, path, pngFile({ gray: 7 }), "image/svg+xml");
    expect(png.body.logo_url).toEndWith(".png");
    const svg = await upload(owner, path, svgFile('<path d="M0 0h4v4z"/>'), "image/png");
    expect(svg.body.logo_url).toEndWith(".svg");
    expect((await logo(svg.body.logo_url)).response.headers.get("content-type")).toBe("image/svg+xml");
    for (const type of ["text/html", "application/octet-stream", "image/jpeg", "application/json"]) {
      const refused = await upload(owner, path, svgFile(), type);
      expect([refused.status, refused.body.code]).toEqual([415, "wrong_content_type"]);
    }
  });

  test("a hostile SVG file is stored without anything that runs or loads something", async () => {
    const { owner, path } = await organization();
    const uploaded = await upload(owner, path, hostileSvg);
    expect(uploaded.status).toBe(200);
    const { text } = await logo(uploaded.body.logo_url);
    expect(text).toContain("<circle");
    expect(text).not.toMatch(
      /script|javascript|foreignObject|iframe|onload|onclick|onerror|onbegin|onmouse/i,
    );
    expect(text).not.toMatch(/tracker|data:|<image|<a\b|<animate|<set|<use|url\(/i);
  });

  test.each([
    ["not an image", "<html><script>alert(1)</script></html>", "logo_not_svg"],
    ["nothing", "", "logo_not_svg"],
    ["a DOCTYPE", `<!DOCTYPE svg [<!ENTITY x "y">]>${svgFile()}`, "logo_unsupported_markup"],
    [
      "a style sheet",
      svgFile("<style>@import url(//x)</style><path d='M0 0h1'/>"),
      "logo_unsupported_markup",
    ],
    ["only a script", svgFile("<script>alert(1)</script>"), "logo_empty"],
    ["no size", '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h4"/></svg>', "logo_without_size"],
    ["a deep nest", svgFile("<g>".repeat(2_000) + "</g>".repeat(2_000)), "logo_too_complex"],
    ["a long SVG file", svgFile(`<path d="M0 0h4"/>${" ".repeat(130 * 1024)}`), "logo_too_large"],
    ["a damaged PNG file", pngFile().subarray(0, 40), "logo_not_png"],
    ["a large picture", pngFile({ width: 1_025 }), "logo_wrong_size"],
  ])("a file with %s is refused in words, and the logo stays", async (_, file, code) => {
    const { owner, path } = await organization();
    const before = (await upload(owner, path, pngFile())).body;
    const refused = await upload(owner, path, file as string);
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual([expect.objectContaining({ field: "logo", code })]);
    expect((await owner.api.get(path)).body).toEqual(before);
  });

  test("an upload is cut off at its limit, and the worst file within it is checked quickly", async () => {
    const { owner, path } = await organization();
    const large = await upload(owner, path, new Uint8Array(257 * 1024), "image/png");
    expect([large.status, large.body.code]).toEqual([413, "body_too_large"]);
    const worst = [
      svgFile('<path d="M0 0h4"/>'.repeat(7_000)),
      svgFile(`<path ${'a="1" '.repeat(20_000)}/>`),
      svgFile("&amp;".repeat(25_000)),
      "<".repeat(128 * 1024),
      pngFile({ width: 1_024, height: 1_024 }),
    ];
    for (const file of worst) {
      // With the request, the database and other test processes around it. On a busy machine, one of several is quick.
      let fastestMs = Number.POSITIVE_INFINITY;
      for (let run = 0; run < 12 && fastestMs >= 500; run++) {
        const startMs = performance.now();
        await upload(owner, path, file);
        fastestMs = Math.min(fastestMs, performance.now() - startMs);
      }
      expect(fastestMs).toBeLessThan(500);
    }
  });

  test("metadata of a PNG file is not published", async () => {
    const { owner, path } = await organization();
    const file = pngFile({ text: "Author\0Ada Lovelace, 12 Secret Street" });
    expect(Buffer.from(file).toString("latin1")).toContain("Secret Street");
    const uploaded = await upload(owner, path, file, "image/png");
    expect((await logo(uploaded.body.logo_url)).text).not.toContain("Secret Street");
  });

  test("unknown logos and sellers do not exist, nor do those that show no product in the portal", async () => {
    const { owner, path, slug, productId } = await organization();
    const { body } = await upload(owner, path, svgFile('<path d="M1 1h4v4z"/>'));
    const name = String(body.logo_url).split("/").at(-1) ?? "";
    for (const other of [
      name.replace(".svg", ".png"),
      name.replace(".svg", ""),
      `${name}x`,
      `${"A".repeat(43)}.svg`,
      "..%2F..%2Fme",
      "%00",
    ]) {
      const answer = await portal(`/logos/${other}`);
      expect([other, answer.status]).toEqual([other, 404]);
    }
    expect((await portal(`/sellers/${newId()}`)).status).toBe(404);
    expect((await portal("/sellers/%25")).status).toBe(404);
    await owner.api.patch(`/products/${productId}`, { portal_enabled: false });
    expect((await portal(`/sellers/${slug}`)).status).toBe(404);
    await owner.api.patch(`/products/${productId}`, { portal_enabled: true });
    expect((await portal(`/sellers/${slug}`)).status).toBe(200);
  });

  test("a visitor learns nothing about a suspension, and its branding cannot be changed meanwhile", async () => {
    const { owner, path, slug, id } = await organization();
    await fixture.admin.api.post(`/admin/organizations/${id}/suspend`, { reason: "Fraud" });
    const shown = await (await portal(`/sellers/${slug}`)).text();
    expect(shown).not.toContain("Fraud");
    expect(JSON.parse(shown).is_suspended).toBe(false);
    expect((await owner.api.patch(path, { display_name: "x" })).body.code).toBe("organization_suspended");
    expect((await upload(owner, path, svgFile())).body.code).toBe("organization_suspended");
  });

  test("members can read it, those who manage the organization can change it, others know nothing of it", async () => {
    const { owner, path, id } = await organization();
    const viewer = await fixture.member(["licenses:view"], id);
    const manager = await fixture.member(["organization:manage"], id);
    const stranger = (await organization()).owner;
    await owner.api.patch(path, { display_name: "Acme" });
    expect((await viewer.api.get(path)).body.display_name).toBe("Acme");
    for (const refused of [
      await viewer.api.patch(path, { display_name: "x" }),
      await upload(viewer, path, svgFile()),
      await viewer.api.delete(`${path}/logo`),
    ])
      expect([refused.status, refused.body.code]).toEqual([403, "permission_missing"]);
    expect((await manager.api.patch(path, { display_name: "By manager" })).status).toBe(200);
    for (const refused of [
      await stranger.api.get(path),
      await stranger.api.patch(path, { display_name: "x" }),
      await upload(stranger, path, svgFile()),
      await stranger.api.delete(`${path}/logo`),
    ])
      expect(refused.status).toBe(404);
    expect((await fixture.anonymous.get(path)).status).toBe(401);
    expect((await owner.api.get(path)).body.display_name).toBe("By manager");
  });

  test("two organizations with the same logo do not depend on each other", async () => {
    const [one, other] = [await organization(), await organization()];
    const file = svgFile('<path d="M2 2h4v4z"/>');
    const url = String((await upload(one.owner, one.path, file)).body.logo_url);
    expect((await upload(other.owner, other.path, file)).body.logo_url).toBe(url);
    await one.owner.api.delete(`${one.path}/logo`);
    expect((await logo(url)).response.status).toBe(200);
    await other.owner.api.delete(`${other.path}/logo`);
    expect((await logo(url)).response.status).toBe(404);
  });

  test("emails to customers carry the display name as text, never as markup, and replies go to support", async () => {
    const { owner, path, productId } = await organization("Acme GmbH");
    const name = '<img src=x onerror="alert(1)"> & Co';
    await owner.api.patch(`/products/${productId}`, { deliver_license_by_email: true });
    const delivered = async () => {
      const to = `${newId()}@example.net`;
      await owner.api.post(`/products/${productId}/licenses`, { customer_email: to });
      const found = () => mail.received.find((one) => one.to.includes(to));
      await until("the email arrives", async () => found() !== undefined);
      return found()?.text ?? "";
    };
    const before = await delivered();
    expect(before).toContain("Acme GmbH");
    expect(before).not.toMatch(/^Reply-To:/im);
    await owner.api.patch(path, { display_name: name, support_email: "help@example.com" });
    const after = await delivered();
    expect(after).toContain(name);
    expect(after).toContain("&#60;img src=x");
    expect(after.split("text/html")[1]).not.toContain("<img");
    expect(after).not.toContain("Acme GmbH");
    expect(after).toMatch(/^Reply-To: help@example\.com\r?$/m);
  });

  test("a seller's text is data in every response, never a page", async () => {
    const { owner, path, slug } = await organization();
    const text = "</script><script>alert(1)</script>";
    await owner.api.patch(path, {
      display_name: text,
      links: [{ title: text, url: "https://example.com/?a=%3Cscript%3E" }],
    });
    const answer = await portal(`/sellers/${slug}`, { accept: "text/html" });
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(sellerShape.parse(await answer.json()).name).toBe(text);
  });

  test("an export contains it without the logo", async () => {
    const { owner, path, id } = await organization();
    await owner.api.patch(path, { display_name: "Acme Audio", support_email: "help@example.com" });
    await upload(owner, path, svgFile());
    const { text } = await owner.api.get(`/organizations/${id}/export`);
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ kind }) => kind === "branding")).toEqual([
      {
        kind: "branding",
        data: {
          display_name: "Acme Audio",
          accent_color: null,
          support_email: "help@example.com",
          support_url: null,
          links: [],
          locale: null,
          updated_at: expect.any(String),
        },
      },
    ]);
  });
});
