import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Route } from "@countersign/contract/api/route";
import { matchForm } from "@countersign/domain/licenses/key";
import { isInside, manageRouteList, membersOf } from "../routes/list.ts";
import { problemOf } from "../support/answers.ts";
import { type FilledOrganization, fillOrganization } from "../support/filled-organization.ts";
import type { ManageAnswer, ManageClient } from "../support/manage-client.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { pathWith } from "../support/matrix-paths.ts";
import { addSecrets, type OrganizationSecrets } from "../support/organization-secrets.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

/** Secrets that not even the owner can read again. */
const neverShownAgain = new Set([
  "API key",
  "signing secret",
  // Replaced by the changed URL.
  "webhook URL",
  "webhook query",
  "webhook header",
  "webhook secret",
  "access token",
  "invitation link",
]);

const reads = manageRouteList.filter((route) => route.method === "GET" && isInside(route));

/** Pages with and without a cursor, and another order or format, where the route knows them. */
function queriesOf(route: Route): string[] {
  const known = membersOf(route.query);
  return ["", "?limit=1", "?limit=200", "?order=oldest&limit=200", "?format=json"].filter((query) =>
    [...new URLSearchParams(query).keys()].every((name) => known.includes(name)),
  );
}

/** That exports are refused is tested with all routes, in tests/routes. */
testsOn("postgres", "secrets and impersonation", openManageFixture, (fixture) => {
  let filled: FilledOrganization;
  let secrets: OrganizationSecrets;
  let admin: ManageClient;
  beforeAll(async () => {
    filled = await fillOrganization(fixture, fixture.owner, fixture);
    secrets = await addSecrets(fixture, fixture.owner, filled);
    ({ api: admin } = fixture.admin);
    const view = `/admin/organizations/${filled.organizationId}/impersonation`;
    expect((await admin.post(view, { reason: "Ticket 1" })).status).toBe(201);
  });

  /** Every GET route, with few items per page so that there are cursors, and with many. */
  const readEverything = async (client: ManageClient): Promise<[route: string, answer: ManageAnswer][]> => {
    const answers: [string, ManageAnswer][] = [];
    for (const route of reads) {
      const ofLicense = route.path.includes("{license_id}");
      for (const licenseId of ofLicense ? [secrets.licenseId, filled.idFor("license_id", "")] : [undefined]) {
        const path = pathWith(route, (name) =>
          name === "license_id" ? licenseId : filled.idFor(name, route.path),
        );
        for (const query of queriesOf(route))
          answers.push([`${route.id}${query}`, await client.get(path + query)]);
      }
    }
    return answers;
  };

  /** Which secrets are in a response, also in its cursors. */
  const foundIn = ({ text }: ManageAnswer): string[] => {
    const cursors = [...text.matchAll(/"[\w-]{8,}"/g)].map(([quoted]) =>
      Buffer.from(quoted.slice(1, -1), "base64url").toString(),
    );
    const all = matchForm([text, ...cursors].join("\n"));
    return [...secrets.texts].flatMap(([place, secret]) => (all.includes(matchForm(secret)) ? [place] : []));
  };

  test("the owner can read each secret somewhere, unless it is shown only once", async () => {
    const answers = await readEverything(fixture.owner.api);
    const found = new Set(answers.flatMap(([, answer]) => foundIn(answer)));
    const missing = [...secrets.texts.keys()].filter(
      (place) => !found.has(place) && !neverShownAgain.has(place),
    );
    expect(missing).toEqual([]);
  });

  test("no response to an impersonator contains a secret, nor does the platform's audit log", async () => {
    const answers = await readEverything(admin);
    const log = await admin.get(`/admin/audit-log?organization_id=${filled.organizationId}&limit=200`);
    expect(log.body.data.length).toBeGreaterThan(10);
    answers.push(["the platform's audit log", log]);
    expect(answers.flatMap(([route, answer]) => foundIn(answer).map((place) => [route, place]))).toEqual([]);
    const open = answers.filter(([, { status }]) => status === 200).map(([route]) => route.split("?")[0]);
    expect(new Set(open).size).toBeGreaterThan(31);
  });

  test("what an impersonator sees of a key, a URL and a text says that the rest is hidden", async () => {
    const license = await admin.get(`/licenses/${secrets.licenseId}`);
    const license_key = expect.stringMatching(/^.{4}…$/);
    expect(license.body).toMatchObject({ license_key, notes: "…", metadata: {}, custom_override: {} });
    const webhooks = await admin.get(`/organizations/${filled.organizationId}/webhooks`);
    for (const { url } of webhooks.body.data) expect(url).toBe("https://hooks.example.invalid/…");
  });

  test("an impersonator cannot search licenses, because the results would reveal a key piece by piece", async () => {
    const organization = `/organizations/${filled.organizationId}`;
    for (const path of [`${organization}/licenses`, `/products/${fixture.productId}/licenses`]) {
      for (const q of ["KEY", "nothing matches this", secrets.texts.get("license key") ?? ""]) {
        const refused = await admin.get(`${path}?q=${encodeURIComponent(q)}`);
        expect(problemOf(refused)).toEqual([403, "impersonation_no_secrets"]);
      }
      expect((await admin.get(`${path}?status=active`)).status).toBe(200);
    }
    expect((await admin.get(`${organization}/customers?search=example`)).status).toBe(200);
  });
});
