import { ActionIcon, Menu } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay, useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Icon } from "../../ui/icon.tsx";
import { LazyBlockDialog } from "../ip-blocks/lazy-block-dialog.tsx";
import type { Suspect } from "./evidence.tsx";

/** What can be done about a license that may be shared. */
export function SuspectActions({ suspect }: { suspect: Suspect }) {
  const { t } = useTranslation("analytics");
  const { slug } = useOrganization();
  const may = useMay();
  const sees = useMaySee();
  const [isBlocking, setBlocking] = useState(false);
  const { license_id: id, license_key: key, product_id: productId, max_ips: limit } = suspect;
  const links = [
    { name: "open", to: paths.license(slug, id), isShown: sees("licenses:view") },
    {
      name: "requests",
      to: paths.requests(slug, { license_id: id }),
      isShown: sees("requests:view"),
    },
    { name: "limit", to: paths.license(slug, id, { do: "edit" }), isShown: may("licenses:update") },
    {
      name: "shadow",
      to: paths.shadow(slug, productId, { change: "max_ips", value: String(lowerThan(limit)) }),
      isShown: sees("requests:view") && sees("products:view", "products:manage"),
    },
    { name: "revoke", to: paths.license(slug, id, { do: "revoke" }), isShown: may("licenses:revoke") },
  ].filter(({ isShown }) => isShown);
  const mayBlock = may("ip_blocks:manage");
  if (key === null || (links.length === 0 && !mayBlock)) return null;
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t("sharing.actions", { key })}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {links.map(({ name, to }) => (
            <Menu.Item
              key={name}
              renderRoot={(props) => <Link {...props} {...to} />}
              {...(name === "revoke" ? { color: "red" } : {})}
            >
              {t(`sharing.do.${name}`)}
            </Menu.Item>
          ))}
          {mayBlock && (
            <Menu.Item {...LazyBlockDialog.near} onClick={() => setBlocking(true)}>
              {t("sharing.do.block")}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <LazyBlockDialog
        scope={{ level: "license", licenseId: id }}
        opened={isBlocking}
        onClose={() => setBlocking(false)}
      />
    </>
  );
}

/** A limit to try: below the present one, or a usual one if there is none. */
function lowerThan(limit: number | null): number {
  return limit === null ? 3 : Math.max(1, limit - 1);
}
