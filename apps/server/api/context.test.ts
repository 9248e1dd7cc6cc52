import { expect, test } from "bun:test";
import { anyone, customer, member, owner, person, route } from "@countersign/contract/api/route";
import type { PersonActor } from "./actor.ts";
import { bind } from "./context.ts";

const parts = { id: "x", method: "GET", summary: "X", group: "X" } as const;

/** None of these is called: what matters is whether they compile. */
test("a handler gets the names in its path, and what the route's path and access guarantee", () => {
  const ofProduct = route({
    ...parts,
    path: "/products/{product_id}/things/{thing_id}",
    access: member(null),
  });
  const ofLicense = route({ ...parts, path: "/licenses/{license_id}", access: customer });
  const ofOwner = route({ ...parts, path: "/organizations/{organization_id}", access: owner });
  const ofPerson = route({ ...parts, path: "/me", access: person("any") });
  const ofAnyone = route({ ...parts, path: "/organizations/{organization_id}", access: anyone("anything") });
  const bound = [
    bind(ofProduct, async (context, { params }) => {
      const ids: string[] = [params.product_id, params.thing_id, context.product.id, context.organization.id];
      // @ts-expect-error: the path has no such name.
      ids.push(params.license_id);
      // @ts-expect-error: the path has no license.
      ids.push(context.license.id);
      // @ts-expect-error: a token of the organization is no person.
      ids.push(context.actor.userId);
    }),
    bind(ofLicense, async (context, { params }) => {
      const ids: string[] = [params.license_id, context.license.id, context.product.id, context.customer.id];
      ids.push(context.actor.personId);
      // @ts-expect-error: a customer is no member.
      ids.push(...context.organizationAccess.permissions);
    }),
    bind(ofOwner, async (context) => {
      const { actor }: { actor: PersonActor } = context;
      expect([actor, context.organizationAccess.isOwner]).toBeArray();
    }),
    bind(ofPerson, async (context) => {
      const { actor }: { actor: PersonActor } = context;
      // @ts-expect-error: no organization was looked up.
      expect(actor).toBe(context.organization.id);
    }),
    bind(ofAnyone, async (context, { params }) => {
      const ids: string[] = [params.organization_id];
      // @ts-expect-error: nobody need be signed in.
      ids.push(context.actor.kind);
    }),
  ];
  expect(bound.map(({ route }) => route)).toEqual([ofProduct, ofLicense, ofOwner, ofPerson, ofAnyone]);
});
