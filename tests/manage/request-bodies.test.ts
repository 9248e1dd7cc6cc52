import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { sqlite } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { openRaw, type RawAnswer, type RawConnection } from "../support/raw-http.ts";
import { until, within } from "../support/until.ts";

setDefaultTimeout(60_000);

/** Far below the timeout for a body, and enough for a slow machine. */
const atOnceMs = 5_000;
const json = "Content-Type: application/json";

/** 225 KB, 30,000 levels deep, with 5,000 texts that cannot be stored. */
const deepBody = `${'{"a":'.repeat(30_000)}[${Array(5_000).fill('"\\u0000"').join(",")}]${"}".repeat(30_000)}`;

describe("bodies of the management and sign-in APIs", () => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(sqlite.make, {
      why: "reads the whole log",
      environment: { COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.1" },
    });
  });
  afterAll(() => fixture.close());

  const licenses = () => `/api/manage/v1/products/${fixture.productId}/licenses`;
  const asOwner = () => `Authorization: Bearer ${fixture.owner.token}`;
  const begin = async (target: string, ...headers: string[]): Promise<RawConnection> => {
    const raw = await openRaw(fixture.server.port);
    raw.write([`POST ${target} HTTP/1.1`, "Host: test", ...headers, "", ""].join("\r\n"));
    return raw;
  };
  /** The response to a request whose body never arrives. */
  const answerToHead = async (target: string, ...headers: string[]): Promise<RawAnswer | null> => {
    const raw = await begin(target, ...headers);
    try {
      return await raw.answer({ deadlineMs: atOnceMs });
    } finally {
      raw.close();
    }
  };

  describe("the headers alone decide, before any body arrives:", () => {
    const framings = ["Content-Length: 200", "Transfer-Encoding: chunked"];
    test.each(framings)("no credentials get 401 (%s)", async (framing) => {
      expect((await answerToHead(licenses(), json, framing))?.status).toBe(401);
    });
    test.each(framings)("a missing permission gets 403 (%s)", async (framing) => {
      const member = await fixture.member(["licenses:view"]);
      const answer = await answerToHead(licenses(), json, framing, `Authorization: Bearer ${member.token}`);
      expect(answer?.status).toBe(403);
    });
    test.each(framings)("an invalid query gets 422 (%s)", async (framing) => {
      const target = `/api/manage/v1/products/${fixture.productId}/licenses/import?mode=sideways`;
      expect((await answerToHead(target, asOwner(), "Content-Type: text/csv", framing))?.status).toBe(422);
    });
    test.each(framings)("a type other than JSON gets 415 (%s)", async (framing) => {
      expect((await answerToHead(licenses(), asOwner(), "Content-Type: text/xml", framing))?.status).toBe(
        415,
      );
      const signIn = await answerToHead("/api/auth/sign-in/email", "Content-Type: text/xml", framing);
      expect(signIn?.status).toBe(415);
    });
    test.each(framings)("an invalid Idempotency-Key or If-Match gets 400 (%s)", async (framing) => {
      for (const header of ["Idempotency-Key: a b", "If-Match: unquoted"])
        expect((await answerToHead(licenses(), asOwner(), json, framing, header))?.status).toBe(400);
    });
    test.each([
      ["set-up", "/api/manage/v1/setup", "8193"],
      ["sign-in", "/api/auth/sign-in/email", "8193"],
      ["an ordinary route", "/api/manage/v1/organizations", "65537"],
      ["creating licenses", "", "4194305"],
    ])("a length beyond the limit of %s gets 413 and closes the connection", async (_, target, length) => {
      const answer = await answerToHead(target || licenses(), json, asOwner(), `Content-Length: ${length}`);
      expect(answer?.status).toBe(413);
      expect(answer?.headers.get("connection")).toBe("close");
    });
    test("too many set-up requests from one IP address get 429", async () => {
      const from = "X-Forwarded-For: 198.51.100.7";
      const statuses: (number | undefined)[] = [];
      for (let tries = 0; tries < 31; tries++)
        statuses.push((await answerToHead("/api/manage/v1/setup", json, from, "Content-Length: 0"))?.status);
      expect(statuses).toEqual([...Array(30).fill(422), 429]);
      const unread = await answerToHead("/api/manage/v1/setup", json, from, "Content-Length: 200");
      expect(unread?.status).toBe(429);
    });
  });

  test("a body without a declared length is read up to the limit and no further", async () => {
    const frame = `4000\r\n${"[".repeat(0x4000)}\r\n`;
    const targets: [target: string, most: number][] = [
      ["/api/manage/v1/setup", 8 * 1024],
      [licenses(), 4 * 1024 * 1024],
    ];
    for (const [target] of targets) {
      const raw = await begin(target, json, asOwner(), "Transfer-Encoding: chunked");
      raw.write(frame);
      const answer = await raw.answer({ deadlineMs: atOnceMs });
      // The first chunk is already too deep or too large, so the rest is not read.
      expect([413, 422]).toContain(answer?.status ?? 0);
      expect(answer?.headers.get("connection")).toBe("close");
      await within(atOnceMs, "the connection ends", raw.closed);
      raw.close();
    }
  });

  test("a deeply nested body is refused unread without authentication, and unparsed with it", async () => {
    const length = `Content-Length: ${deepBody.length}`;
    const anonymous = await answerToHead(
      "/api/manage/v1/setup",
      json,
      length,
      "X-Forwarded-For: 198.51.100.9",
    );
    expect(anonymous?.status).toBe(413);
    const answer = await fixture.owner.api.send("POST", `/products/${fixture.productId}/licenses`, deepBody, {
      "content-type": "application/json",
    });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ field: "body", code: "too_deep", params: { max: 40 } }]);
  });

  const wide: [what: string, body: () => object, most: number][] = [
    ["texts that cannot be stored", () => ({ tags: Array(5_000).fill("\u0000") }), 20],
    ["elements of a wrong type", () => ({ licenses: Array(10_000).fill(5) }), 100],
    [
      "wrong members of elements",
      () => ({ licenses: Array(10_000).fill({ tags: [1, 2], max_ips: "x" }) }),
      100,
    ],
    [
      "members that do not exist",
      () => Object.fromEntries(numbers(5_000).map((one) => [`x${one}`, one])),
      100,
    ],
    [
      "members with long names",
      () => Object.fromEntries(numbers(50).map((one) => [`${one}${"y".repeat(50_000)}`, 1])),
      100,
    ],
    [
      "invalid members with long names",
      () => Object.fromEntries(numbers(50).map((one) => [`${one}\u0000${"y".repeat(50_000)}`, 1])),
      20,
    ],
  ];
  test.each(wide)("many %s get a short response", async (_, body, most) => {
    const answer = await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, body());
    expect(answer.status).toBe(422);
    expect(answer.body.errors.length).toBeGreaterThan(0);
    expect(answer.body.errors.length).toBeLessThanOrEqual(most);
    expect(answer.text.length).toBeLessThan(40_000);
    for (const { field } of answer.body.errors) expect(field.length).toBeLessThanOrEqual(200);
  });

  test("more values than a route can use are refused before parsing", async () => {
    const many = `{"name":"A","permissions":[${Array(2_000).fill('"x"').join(",")}]}`;
    const answer = await fixture.owner.api.send(
      "POST",
      `/organizations/${fixture.organizationId}/roles`,
      many,
      { "content-type": "application/json" },
    );
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([
      { field: "body", code: "too_many_values", params: { max: 1_000 } },
    ]);
  });

  test("a query of thousands of parameters is refused", async () => {
    const query = numbers(3_000).join("&");
    const answer = await fixture.owner.api.get(`/organizations/${fixture.organizationId}/licenses?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.text.length).toBeLessThan(2_000);
  });

  test("bodies that never end get 408 in time, and their connections are closed", async () => {
    const started: [what: string, raw: Promise<RawConnection>, bytes: string][] = [
      ["set-up", begin("/api/manage/v1/setup", json, "Content-Length: 200"), '{"token":'],
      ["sign-in", begin("/api/auth/sign-in/email", json, "Transfer-Encoding: chunked"), "1\r\n{\r\n"],
      [
        "roles",
        begin(
          `/api/manage/v1/organizations/${fixture.organizationId}/roles`,
          json,
          asOwner(),
          "Content-Length: 9",
        ),
        "{",
      ],
      ["licenses", begin(licenses(), json, asOwner(), "Transfer-Encoding: chunked"), "1\r\n{\r\n"],
      [
        "an import",
        begin(`${licenses()}/import`, asOwner(), "Content-Type: text/csv", "Transfer-Encoding: chunked"),
        "1\r\nk\r\n",
      ],
    ];
    await Promise.all(
      started.map(async ([what, opening, bytes]) => {
        const raw = await opening;
        raw.write(bytes);
        const answer = await raw.answer({ deadlineMs: 30_000 });
        expect([what, answer?.status, answer?.headers.get("connection")]).toEqual([what, 408, "close"]);
        await within(atOnceMs, "the connection ends", raw.closed);
      }),
    );
    const { body } = await fixture.owner.api.get(`/products/${fixture.productId}/imports`);
    expect(body.data).toEqual([]);
  });

  test("a client that disconnects during a body leaves no error in the log", async () => {
    for (const target of [
      "/api/manage/v1/setup",
      "/api/auth/sign-in/email",
      licenses(),
      `${licenses()}/import`,
    ]) {
      const type = target.endsWith("import") ? "Content-Type: text/csv" : json;
      const raw = await begin(target, type, asOwner(), "Content-Length: 200");
      raw.write("{");
      await new Promise((resolve) => setTimeout(resolve, 50));
      raw.close();
    }
    await until("the server is ready", async () => (await fetch(`${fixture.server.url}/readyz`)).ok);
    expect(fixture.server.output()).not.toContain("failed in a way it should not");
  });
});

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
