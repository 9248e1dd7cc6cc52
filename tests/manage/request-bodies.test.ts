import { expect, test } from "bun:test";
import { openManageFixture } from "../support/manage-fixture.ts";
import { openRaw, type RawAnswer, type RawConnection } from "../support/raw-http.ts";
import { testsOn } from "../support/tests-on.ts";
import { until, within } from "../support/until.ts";

/** Far below the timeout for a body, and enough for a slow machine. */
const atOnceMs = 5_000;
const json = "Content-Type: application/json";
const csv = "Content-Type: text/csv";
const xml = "Content-Type: text/xml";
const chunked = "Transfer-Encoding: chunked";
const setup = "/api/manage/v1/setup";
const signIn = "/api/auth/sign-in/email";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
/** 225 KB, 30,000 levels deep, with 5,000 texts that cannot be stored. */
const deepBody = `${'{"a":'.repeat(30_000)}[${Array(5_000).fill('"\\u0000"').join(",")}]${"}".repeat(30_000)}`;

/** The limit of each route's body is tested in tests/routes. */
testsOn("sqlite", "bodies of the management and sign-in APIs", openManageFixture, (fixture) => {
  const licenses = () => `/api/manage/v1/products/${fixture.productId}/licenses`;
  const asOwner = () => `Authorization: Bearer ${fixture.owner.token}`;
  const asViewer = async () => `Authorization: Bearer ${(await fixture.member(["licenses:view"])).token}`;
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

  test.each<
    [what: string, status: number, target: () => string, headers: () => Promise<string[]> | string[]]
  >([
    ["no credentials", 401, licenses, () => [json]],
    ["a missing permission", 403, licenses, async () => [await asViewer(), json]],
    ["an invalid query", 422, () => `${licenses()}/import?mode=sideways`, () => [asOwner(), csv]],
    ["a type other than JSON", 415, licenses, () => [asOwner(), xml]],
    ["a type other than JSON, to sign in", 415, () => signIn, () => [xml]],
    ["an invalid Idempotency-Key", 400, licenses, () => [asOwner(), json, "Idempotency-Key: a b"]],
    ["an invalid If-Match", 400, licenses, () => [asOwner(), json, "If-Match: unquoted"]],
  ])("a request with %s is answered %i before its body arrives", async (_, status, target, headers) => {
    const sent = await headers();
    for (const framing of ["Content-Length: 200", chunked])
      expect((await answerToHead(target(), ...sent, framing))?.status).toBe(status);
  });

  test("a length beyond the limit of signing in is answered 413 and closes the connection", async () => {
    const answer = await answerToHead(signIn, json, "Content-Length: 8193");
    expect([answer?.status, answer?.headers.get("connection")]).toEqual([413, "close"]);
  });

  test("too many set-up requests from one IP address get 429, also before their body arrives", async () => {
    const send = async (length: number) => {
      const from = "X-Forwarded-For: 198.51.100.7";
      return (await answerToHead(setup, json, from, `Content-Length: ${length}`))?.status;
    };
    const statuses: (number | undefined)[] = [];
    for (let tries = 0; tries < 31; tries++) statuses.push(await send(0));
    expect(statuses).toEqual([...Array(30).fill(422), 429]);
    expect(await send(200)).toBe(429);
  });

  test("a body without a declared length is read up to the limit and no further", async () => {
    for (const target of [setup, licenses()]) {
      const raw = await begin(target, json, asOwner(), chunked);
      raw.write(`4000\r\n${"[".repeat(0x4000)}\r\n`);
      const answer = await raw.answer({ deadlineMs: atOnceMs });
      // The first chunk is already too deep or too large, so the rest is not read.
      expect([413, 422]).toContain(answer?.status ?? 0);
      expect(answer?.headers.get("connection")).toBe("close");
      await within(atOnceMs, "the connection ends", raw.closed);
      raw.close();
    }
  });

  /** The bounds themselves: packages/domain/json/bounds.test.ts. */
  test("a deeply nested body is refused unread without authentication, and unparsed with it, as are too many values", async () => {
    const from = "X-Forwarded-For: 198.51.100.9";
    const anonymous = await answerToHead(setup, json, from, `Content-Length: ${deepBody.length}`);
    expect(anonymous?.status).toBe(413);
    const many = `{"name":"A","permissions":[${Array(2_000).fill('"x"').join(",")}]}`;
    for (const [path, body, code, max] of [
      [`/products/${fixture.productId}/licenses`, deepBody, "too_deep", 40],
      [`/organizations/${fixture.organizationId}/roles`, many, "too_many_values", 1_000],
    ] as const) {
      const answer = await fixture.owner.api.send("POST", path, body, { "content-type": "application/json" });
      expect(answer.body).toMatchObject({ status: 422, errors: [{ field: "body", code, params: { max } }] });
    }
  });

  const members = (name: (index: number) => string, count: number) =>
    Object.fromEntries(numbers(count).map((index) => [name(index), 1]));
  const long = "y".repeat(50_000);
  test.each<[what: string, body: () => object, most: number]>([
    ["texts that cannot be stored", () => ({ tags: Array(5_000).fill("\u0000") }), 20],
    ["elements of a wrong type", () => ({ licenses: Array(10_000).fill(5) }), 100],
    ["wrong members", () => ({ licenses: Array(10_000).fill({ tags: [1, 2], max_ips: "x" }) }), 100],
    ["members that do not exist", () => members((index) => `x${index}`, 5_000), 100],
    ["members with long names", () => members((index) => `${index}${long}`, 50), 100],
    ["invalid members with long names", () => members((index) => `${index}\u0000${long}`, 50), 20],
  ])("many %s get a short response", async (_, body, most) => {
    const answer = await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, body());
    expect([answer.status, answer.text.length < 40_000]).toEqual([422, true]);
    expect(answer.body.errors.length).toBeWithin(1, most + 1);
    for (const { field } of answer.body.errors) expect(field.length).toBeLessThanOrEqual(200);
  });

  test("a query of thousands of parameters is refused", async () => {
    const query = numbers(3_000).join("&");
    const answer = await fixture.owner.api.get(`/organizations/${fixture.organizationId}/licenses?${query}`);
    expect([answer.status, answer.text.length < 2_000]).toEqual([422, true]);
  });

  test("bodies that never end get 408 in time, and their connections are closed", async () => {
    const roles = `/api/manage/v1/organizations/${fixture.organizationId}/roles`;
    const started: [opening: Promise<RawConnection>, bytes: string][] = [
      [begin(setup, json, "Content-Length: 200"), '{"token":'],
      [begin(signIn, json, chunked), "1\r\n{\r\n"],
      [begin(roles, json, asOwner(), "Content-Length: 9"), "{"],
      [begin(licenses(), json, asOwner(), chunked), "1\r\n{\r\n"],
      [begin(`${licenses()}/import`, asOwner(), csv, chunked), "1\r\nk\r\n"],
    ];
    const answered = started.map(async ([opening, bytes]) => {
      const raw = await opening;
      raw.write(bytes);
      const answer = await raw.answer({ deadlineMs: 30_000 });
      await within(atOnceMs, "the connection ends", raw.closed);
      return [answer?.status, answer?.headers.get("connection")];
    });
    expect(await Promise.all(answered)).toEqual(started.map(() => [408, "close"]));
    const { body } = await fixture.owner.api.get(`/products/${fixture.productId}/imports`);
    expect(body.data).toEqual([]);
  });

  test("a client that disconnects during a body leaves no error in the log", async () => {
    const before = fixture.server.output().length;
    for (const target of [setup, signIn, licenses(), `${licenses()}/import`]) {
      const type = target.endsWith("import") ? csv : json;
      const raw = await begin(target, type, asOwner(), "Content-Length: 200");
      raw.write("{");
      await new Promise((resolve) => setTimeout(resolve, 50));
      raw.close();
    }
    await until("the server is ready", async () => (await fetch(`${fixture.url}/readyz`)).ok);
    expect(fixture.server.output().slice(before)).not.toContain("failed in a way it should not");
  });
});
