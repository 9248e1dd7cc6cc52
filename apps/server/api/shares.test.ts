import { expect, test } from "bun:test";
import type { OrganizationContext } from "./context.ts";
import { Shares } from "./shares.ts";

function contextOf(tokenId: string, organizationId: string): OrganizationContext {
  return { actor: { kind: "token", tokenId }, organization: { id: organizationId } } as OrganizationContext;
}

test("a caller, an organization and all together have at most their share, and what ends is free again", () => {
  const shares = new Shares({ perCaller: 2, perOrganization: 3, inAll: 4 }, "too_many_streams");
  const enter = (token: string, organization: string) => shares.enter(contextOf(token, organization));
  const refusal = (code: string) => expect.objectContaining({ code });
  const ends = [enter("t1", "a"), enter("t1", "a")];
  expect(() => enter("t1", "a")).toThrow(refusal("too_many_streams"));
  enter("t2", "a");
  expect(() => enter("t3", "a")).toThrow(refusal("too_many_streams"));
  enter("t4", "b");
  expect(() => enter("t5", "c")).toThrow(refusal("server_busy"));
  ends[0]?.();
  ends[0]?.();
  enter("t5", "c");
  expect(() => enter("t1", "a")).toThrow(refusal("server_busy"));
  ends[1]?.();
  expect(() => enter("t1", "a")).not.toThrow();
  expect(shares.use).toEqual({ inUse: 4, limit: 4, refused: 4 });
});
