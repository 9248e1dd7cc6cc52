import { describe, expect, test } from "bun:test";
import { portalRemarks } from "./portal-tab.tsx";

const product = {
  portal_enabled: true,
  portal_ip_removals_per_30_days: 2,
  track_ip_on_validate: true,
  auto_register_ip_on_validate: true,
  transfers: "automatic",
  transfer_rotates_key: true,
} as const;

describe("settings of the portal", () => {
  test("settings have an effect while the product is in the portal and transfers are automatic", () => {
    const { noEffect, ...cautions } = portalRemarks(product);
    expect(Object.values(noEffect)).toEqual(Object.values(noEffect).map(() => null));
    expect(cautions).toEqual({ cannotReplaceIps: false, formerOwnersKeepAccess: false });
  });

  test("settings have no effect outside the portal, except for transfers that are already waiting", () => {
    const { noEffect } = portalRemarks({ ...product, portal_enabled: false });
    expect(noEffect).toEqual({
      renewal_url: "portalOff",
      portal_ip_removals_per_30_days: "portalOff",
      portal_key_rotation: "portalOff",
      transfers: "portalOff",
      transfer_cooldown_days: "portalOff",
      transfer_resets_ips: "onlyWaiting",
      transfer_rotates_key: "onlyWaiting",
    });
  });

  test("a waiting period needs automatic transfers", () => {
    const remark = (transfers: "review" | "off") =>
      portalRemarks({ ...product, transfers }).noEffect.transfer_cooldown_days;
    expect([remark("review"), remark("off")]).toEqual(["notAutomatic", "transfersOff"]);
  });

  test("removing IP addresses needs an IP limit, and their registration to replace them", () => {
    const unlimited = portalRemarks({ ...product, track_ip_on_validate: false });
    expect(unlimited.noEffect.portal_ip_removals_per_30_days).toBe("noTracking");
    const unregistered = { ...product, auto_register_ip_on_validate: false };
    expect(portalRemarks(unregistered).cannotReplaceIps).toBe(true);
    const noRemovals = { ...unregistered, portal_ip_removals_per_30_days: 0 };
    expect(portalRemarks(noRemovals).cannotReplaceIps).toBe(false);
  });

  test("previous owners keep access if the key is not replaced", () => {
    const unchanged = { ...product, transfer_rotates_key: false };
    expect(portalRemarks(unchanged).formerOwnersKeepAccess).toBe(true);
    expect(portalRemarks({ ...unchanged, transfer_rotates_key: true }).formerOwnersKeepAccess).toBe(false);
    expect(portalRemarks({ ...unchanged, transfers: "off" }).formerOwnersKeepAccess).toBe(false);
  });
});
