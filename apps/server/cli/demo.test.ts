import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { validateStatuses } from "@countersign/domain/validate/status";
import { openStore } from "@countersign/store/databases/open";
import { on } from "../../../tests/support/databases.ts";
import { freePort } from "../../../tests/support/free-port.ts";
import { signedInCustomer } from "../../../tests/support/portal-client.ts";
import { runHere } from "../../../tests/support/run-command.ts";
import { runCountersign, startServerProcess } from "../../../tests/support/server-process.ts";

const answerTo = (curl = "") => JSON.parse(execFileSync("sh", ["-c", curl], { encoding: "utf8" }));

describe.each(on("postgres"))("demo on $kind", ({ makeEmpty }) => {
  test("the demo's organizations belong to the platform admin, who may have come before or afterwards", async () => {
    const database = await makeEmpty();
    const load = () => runHere(["demo", "--json"], database.environment);
    const setUp = async (email: string) => {
      const args = ["setup", "--organization", "Own", "--product", "P", "--email", email, "--json"];
      const { stdout } = await runHere([...args, "--password", "a long password"], database.environment);
      return JSON.parse(stdout);
    };
    expect((await load()).code).toBe(0);
    const { user_id: admin } = await setUp("ada@example.com");
    const { user_id: other } = await setUp("eve@example.com");
    expect((await load()).code).toBe(0);
    const store = await openStore(database.location, { encryptionKey: null, durability: "standard" });
    const rows = await store.reads.selectFrom("organizations").select(["name", "owner_id"]).execute();
    await store.close();
    database.remove();
    const ownersOf = (isOwn: boolean) =>
      rows.filter(({ name }) => (name === "Own") === isOwn).map(({ owner_id }) => owner_id);
    expect(ownersOf(false).length).toBeGreaterThan(4);
    expect(new Set(ownersOf(false))).toEqual(new Set([admin]));
    expect(new Set(ownersOf(true))).toEqual(new Set([admin, other]));
  }, 60_000);

  test("the printed requests get the printed responses, and the customer finds something to do in the portal", async () => {
    const database = await makeEmpty();
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const environment = { ...database.environment, PORT: port, COUNTERSIGN_URL: url };
    const server = await startServerProcess(environment);
    const printed = await runCountersign(["demo", "--json"], environment);
    expect(printed).toMatchObject({ code: 0, stderr: "" });
    const examples: Record<"outcome" | "curl" | "license_key", string>[] = JSON.parse(printed.stdout);
    const outcomes = new Set(examples.map((example) => example.outcome));
    expect(outcomes).toEqual(new Set([...validateStatuses, "lookup"]));
    for (const example of examples) {
      const answer = answerTo(example.curl);
      if (example.outcome === "lookup") expect(answer.license_key).toBe(example.license_key);
      else expect({ ...example, status: answer.status }).toEqual({ ...example, status: example.outcome });
    }

    // Again, as text, and the customer is the same person in both.
    const { code, stdout, stderr } = await runHere(["demo"], environment);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.split("\n").filter((line) => line !== "");
    for (const status of validateStatuses) {
      const at = lines.findIndex((text) => text.startsWith(`# ${status}: `));
      expect(lines[at + 1]).toStartWith("curl ");
      expect(answerTo(lines[at + 1]).status).toBe(status);
    }
    const [, portal, email = ""] =
      /^# Customer portal: open (\S+) and sign in as (\S+)\.$/m.exec(stdout) ?? [];
    expect(portal).toBe(`${url}/portal`);
    const store = await openStore(database.location, { encryptionKey: null, durability: "standard" });
    const customer = await signedInCustomer(url, store, email);
    const { data: waiting } = (await customer.get("/transfers")).body;
    expect(waiting).toHaveLength(2);
    expect(waiting[0]).toMatchObject({ state: "pending", to_email: "bruno.carvalho@example.com" });
    const { data: licenses } = (await customer.get("/licenses?limit=100")).body;
    const details = await Promise.all(
      licenses.map(async ({ id }: { id: string }) => (await customer.get(`/licenses/${id}`)).body),
    );
    const full = details.find((license) => license.ips.length === 2);
    expect(full).toMatchObject({
      status: "active",
      max_ips: 2,
      renewal_url: "https://northwind.example/renew",
      downloads: [{ title: "Waveform Studio 4 for Windows" }],
      seller: { accent_color: "#0b6e4f", support_email: "support@northwind.example" },
    });
    const actions = [
      await customer.delete(`/licenses/${full.id}/ips/198.51.100.7`),
      await customer.post(`/licenses/${full.id}/rotate-key`),
      await customer.post(`/transfers/${waiting[0].id}/cancel`),
    ];
    expect(actions.map(({ status }) => status)).toEqual([200, 200, 200]);
    await store.close();
    await server.stop();
    database.remove();
  }, 60_000);
});
