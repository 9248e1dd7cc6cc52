import { expect, test } from "bun:test";
import { csvFile, exported, importFile, newProduct } from "../support/license-files.ts";
import { refusal } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

testsOn("postgres", "time zones", openManageFixture, (fixture) => {
  const create = (body: object) =>
    fixture.owner.api.post(`/products/${fixture.productId}/licenses`, { customer_email: "a@b.c", ...body });
  /** The expiry of a license after a bulk change. */
  const afterBulk = async (id: string, change: object) => {
    const order = { ...change, selection: { ids: [id] } };
    const path = `/organizations/${fixture.organizationId}/licenses/bulk`;
    expect((await fixture.owner.api.post(path, order)).body.changed).toBe(1);
    return (await fixture.owner.api.get(`/licenses/${id}`)).body.expires_at;
  };
  const setTimeZone = (timeZone: unknown) =>
    fixture.owner.api.patch(`/organizations/${fixture.organizationId}`, { time_zone: timeZone });

  test("an organization's time zone is UTC by default, and only a valid zone can be set", async () => {
    const stored = async () =>
      (await fixture.owner.api.get(`/organizations/${fixture.organizationId}`)).body.time_zone;
    expect(await stored()).toBe("UTC");
    const chosen = await setTimeZone("america/new_york");
    expect([chosen.status, chosen.body.time_zone]).toEqual([200, "America/New_York"]);
    for (const wrong of ["Mars/Olympus", "+05:30", "", 5])
      expect(refusal(await setTimeZone(wrong))).toEqual([422, "time_zone"]);
    expect(await stored()).toBe("America/New_York");
  });

  test("the time zone determines the end of the day for dates: created, changed, renewed, in bulk and imported", async () => {
    await setTimeZone("America/New_York");
    const made = await create({ expires_at: "2031-01-02" });
    expect(made.body.expires_at).toBe("2031-01-03T04:59:59.999Z");
    const license = `/licenses/${made.body.id}`;
    const changed = await fixture.owner.api.patch(license, { expires_at: "2031-07-02" });
    expect(changed.body.expires_at).toBe("2031-07-03T03:59:59.999Z");
    const renewed = await fixture.owner.api.post(`${license}/renew`, { expires_at: "2032-01-02" });
    expect(renewed.body.expires_at).toBe("2032-01-03T04:59:59.999Z");
    const bulk = { action: "set_expiry", expires_at: "2033-01-02" };
    expect(await afterBulk(made.body.id, bulk)).toBe("2033-01-03T04:59:59.999Z");
    const productId = await newProduct(fixture);
    const file = csvFile(["license_key", "customer_email", "expires_at"], ["DAY-1", "a@b.c", "2031-01-02"]);
    await importFile(fixture, file, "", { productId });
    expect((await exported(fixture, productId)).get("DAY-1")?.expires_at).toBe("2031-01-03T04:59:59.999Z");
    const exact = await create({ expires_at: "2031-01-02T00:00:00Z" });
    expect(exact.body.expires_at).toBe("2031-01-02T00:00:00.000Z");
  });

  test("an invalid date, or a duration that is invalid or one of two, is refused with its field", async () => {
    for (const wrong of ["2031-02-29", "2031-1-2", "02.01.2031", "tomorrow"]) {
      const refused = await create({ expires_at: wrong });
      expect(refused.body).toMatchObject({ status: 422, errors: [{ code: "not_a_time_or_date" }] });
    }
    const made = await create({ expires_at: "2031-12-31" });
    const renew = (body: object) => fixture.owner.api.post(`/licenses/${made.body.id}/renew`, body);
    for (const [field, refused] of [
      ["extend_by", await renew({ extend_by: "1 year" })],
      ["extend_by", await renew({ extend_by: "P1Y", expires_at: "2099-01-01" })],
      ["extend_by_seconds", await renew({ extend_by: "P1Y", extend_by_seconds: 5 })],
      ["expires_in_seconds", await create({ expires_in: "P1Y", expires_in_seconds: 5 })],
    ] as const)
      expect(refusal(refused)).toEqual([422, field]);
  });

  test("the time zone determines calendar years and months", async () => {
    await setTimeZone("Europe/Berlin");
    const made = await create({ expires_at: "2031-12-31" });
    const license = `/licenses/${made.body.id}`;
    const extend = async (by: string) =>
      (await fixture.owner.api.post(`${license}/renew`, { extend_by: by })).body.expires_at;
    expect(await extend("P1Y")).toBe("2032-12-31T22:59:59.999Z");
    expect(await extend("P2M")).toBe("2033-02-28T22:59:59.999Z");
    expect(await extend("P5M")).toBe("2033-07-28T21:59:59.999Z");
    const byAYear = { action: "extend", extend_by: "P1Y" };
    expect(await afterBulk(made.body.id, byAYear)).toBe("2034-07-28T21:59:59.999Z");
    const inAYear = (await create({ expires_in: "P1Y" })).body;
    const [from, to] = [new Date(inAYear.created_at), new Date(inAYear.expires_at)];
    expect(to.getUTCFullYear()).toBe(from.getUTCFullYear() + 1);
    expect([365, 366]).toContain(Math.round((to.getTime() - from.getTime()) / 86_400_000));
  });
});
