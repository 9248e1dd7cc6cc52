import { describe, expect, test } from "bun:test";
import { newId, type Seller } from "../../../tests/support/seller.ts";
import { customerFor } from "../queries/customers.ts";
import { as, judgeOne, lookup, record, validate } from "./calls.ts";
import type { Stage } from "./stage.ts";

export function customers(stage: Stage) {
  describe("customers", () => {
    test("an organization sees what it wrote about a customer, and nothing that another wrote", async () => {
      const email = `${newId()}@example.com`;
      const settings = { custom_response_enabled: 1 } as const;
      const ada = await stage.seller({ settings });
      const bob = await stage.seller({ settings });
      const adas = await write(ada, { email, name: "As Ada knows her", discordId: "1" });
      const bobs = await write(bob, { email: email.toUpperCase(), name: null, discordId: null });
      expect(bobs).not.toBe(adas);
      const seen = async (seller: Seller, customerId: string) => {
        const { key } = await seller.license({ customerId });
        return as("validated", await judgeOne(seller.store, validate(seller.apiKey, key))).license?.custom
          ?.customer;
      };
      expect({ ...(await seen(ada, adas)) }).toEqual({ email, name: "As Ada knows her", discordId: "1" });
      expect({ ...(await seen(bob, bobs)) }).toEqual({
        email: email.toUpperCase(),
        name: null,
        discordId: null,
      });
    });

    test("a customer of whom the organization wrote nothing is told without a name", async () => {
      const ada = await stage.seller();
      const bob = await stage.seller();
      const customerId = await write(ada, {
        email: `${newId()}@example.com`,
        name: "Secret",
        discordId: null,
      });
      const { key } = await bob.license({ customerId });
      expect(await record(bob.store, lookup(bob.apiKey, key))).toMatchObject({
        global_customer_id: customerId,
        customer_email: null,
        customer_name: null,
      });
    });

    test("an e-mail and a Discord id written on one license do not join two people", async () => {
      const seller = await stage.seller();
      const [email, discordId] = [`${newId()}@example.com`, newId()];
      const byDiscord = await write(seller, { email: null, name: null, discordId });
      const byEmail = await write(seller, { email, name: null, discordId });
      expect(byEmail).not.toBe(byDiscord);
      expect(await write(seller, { email: ` ${email.toUpperCase()}`, name: null, discordId: null })).toBe(
        byEmail,
      );
      expect(await write(seller, { email: null, name: null, discordId })).toBe(byDiscord);
    });

    test("are not read where no custom response needs them", async () => {
      const seller = await stage.seller();
      const customerId = await write(seller, {
        email: `${newId()}@example.com`,
        name: "Ada",
        discordId: null,
      });
      const { key } = await seller.license({ customerId });
      const { license } = as("validated", await judgeOne(seller.store, validate(seller.apiKey, key)));
      expect(license?.custom ?? null).toBeNull();
    });
  });
}

function write({ store, organizationId }: Seller, who: Parameters<typeof customerFor>[2]): Promise<string> {
  return store.transaction((db) => customerFor(db, organizationId, who, newId, 1));
}
