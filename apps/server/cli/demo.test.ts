import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { validateStatuses } from "@countersign/domain/validate/status";
import { openStore } from "@countersign/store/open";
import { on } from "../../../tests/support/databases.ts";
import { freePort } from "../../../tests/support/free-port.ts";
import { signedInCustomer } from "../../../tests/support/portal-client.ts";
import { runCountersign, startServerProcess } from "../../../tests/support/server-process.ts";

setDefaultTimeout(60_000);

interface Printed {
  readonly outcome: string;
  readonly description: string;
  readonly curl: string;
  readonly api_key: string;
  readonly license_key: string;
  readonly body: Readonly<Record<string, string>> | null;
}

for (const { kind, makeEmpty: make } of on("postgres")) {
  describe(`demo on ${kind}`, async () => {
    test("every printed request gets the printed response, also when it is repeated", async () => {
      const database = await make();
      const server = await startServerProcess(database.environment);
      const environment = { ...database.environment, COUNTERSIGN_URL: server.url };
      for (const _ of ["first", "second"]) {
        const { code, stdout, stderr } = await runCountersign(["demo", "--json"], environment);
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        const examples: Printed[] = JSON.parse(stdout);
        expect(new Set(examples.map((example) => example.outcome))).toEqual(
          new Set([...validateStatuses, "lookup"]),
        );
        for (const example of examples) {
          const answer = JSON.parse(execFileSync("sh", ["-c", example.curl], { encoding: "utf8" }));
          if (example.outcome === "lookup") expect(answer.license_key).toBe(example.license_key);
          else expect({ ...example, status: answer.status }).toEqual({ ...example, status: example.outcome });
        }
      }
      await server.stop();
      database.remove();
    });

    test("the printed customer can sign in to the portal, and finds something to do there", async () => {
      const database = await make();
      const port = String(await freePort());
      const url = `http://127.0.0.1:${port}`;
      const environment = { ...database.environment, PORT: port, COUNTERSIGN_URL: url };
      const server = await startServerProcess(environment);
      const store = await openStore(database.location, { encryptionKey: null, durability: "standard" });
      // Twice, because the customer is the same person in both.
      await runCountersign(["demo"], environment);
      const { code, stdout, stderr } = await runCountersign(["demo"], environment);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const printed = /^# Customer portal: open (\S+) and sign in as (\S+)\.$/m.exec(stdout);
      expect(printed?.[1]).toBe(`${url}/portal`);
      const customer = await signedInCustomer(url, store, printed?.[2] ?? "");

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
      const removed = await customer.delete(`/licenses/${full.id}/ips/198.51.100.7`);
      expect(removed.status).toBe(200);
      expect((await customer.post(`/licenses/${full.id}/rotate-key`)).status).toBe(200);
      expect((await customer.post(`/transfers/${waiting[0].id}/cancel`)).status).toBe(200);
      await store.close();
      await server.stop();
      database.remove();
    });

    test("in text output, a line before each request says what to expect", async () => {
      const database = await make();
      const { stdout } = await runCountersign(["demo"], database.environment);
      const lines = stdout.split("\n").filter((line) => line !== "");
      for (const status of validateStatuses) {
        const line = lines.findIndex((text) => text.startsWith(`# ${status}: `));
        expect(lines[line + 1]).toStartWith("curl ");
      }
      database.remove();
    });
  });
}
