import { describe, expect, test } from "bun:test";
import { newId, type TestOrganization } from "../../../tests/support/test-organization.ts";
import { customerFor } from "../queries/customers/identify.ts";
import { recordOf, validated } from "./calls.ts";
import type { StoreFixture } from "./fixture.ts";

export function customers(fixture: StoreFixture) {
  describe("customers", () => {
    test("an organization sees only its own record of a customer", async () => {
      const email = `${newId()}@example.com`;
      const settings = { custom_response_enabled: 1 } as const;
      const ada = await fixture.org({ settings });
      const bob = await fixture.org({ settings });
      const adas = await write(ada, { email, name: "As Ada knows her", discordId: "1" });
      const bobs = await write(bob, { email: email.toUpperCase(), name: null, discordId: null });
      expect(bobs).not.toBe(adas);
      const seen = async (org: TestOrganization, customerId: string) => {
        const { key } = await org.license({ customerId });
        return { ...(await validated(org, key)).license?.custom?.customer };
      };
      expect(await seen(ada, adas)).toEqual({ email, name: "As Ada knows her", discordId: "1" });
      expect(await seen(bob, bobs)).toEqual({ email: email.toUpperCase(), name: null, discordId: null });
    });

    test("a customer without a record of the organization has no name", async () => {
      const [ada, bob] = [await fixture.org(), await fixture.org()];
      const who = { email: `${newId()}@example.com`, name: "Secret", discordId: null };
      const customerId = await write(ada, who);
      const { key } = await bob.license({ customerId });
      const none = { customer_email: null, customer_name: null };
      expect(await recordOf(bob, key)).toMatchObject({ global_customer_id: customerId, ...none });
    });

    test("a customer is not read unless a custom response needs them", async () => {
      const org = await fixture.org();
      const customerId = await write(org, { email: `${newId()}@example.com`, name: "Ada", discordId: null });
      const { key } = await org.license({ customerId });
      const { license } = await validated(org, key);
      expect(license?.custom ?? null).toBeNull();
    });
  });
}

function write({ store, organizationId }: TestOrganization, who: Parameters<typeof customerFor>[2]) {
  return store.transaction((db) => customerFor(db, organizationId, who, newId, 1));
}
