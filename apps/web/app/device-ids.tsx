import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../session/current-organization.ts";
import { paths } from "../session/paths.ts";
import { GoLink } from "../ui/links.tsx";
import classes from "./device-ids.module.css";

interface DeviceIdsProps {
  /** The newest first; null if they are not shown. */
  readonly ids: readonly string[] | null;
  /** Shows them all, in full. */
  readonly all?: boolean;
}

interface OrganizationDeviceIdsProps extends DeviceIdsProps {
  /** Only the requests with this license. */
  readonly licenseId?: string;
}

const maxInRow = 2;

/** The device IDs that an IP address was seen with. Each opens its requests. */
export function DeviceIds({ ids, licenseId, all = false }: OrganizationDeviceIdsProps) {
  const { t } = useTranslation();
  const { slug } = useOrganization();
  return (
    <Ids ids={ids} all={all}>
      {(id) => (
        <GoLink
          to={paths.requests(slug, {
            device_id: id,
            ...(licenseId === undefined ? {} : { license_id: licenseId }),
          })}
          inherit
          {...(all ? {} : { c: "dimmed" })}
          className={`mono ${classes.id}`}
          title={t("devices.show", { id })}
        >
          {id}
        </GoLink>
      )}
    </Ids>
  );
}

/** The same where there is no page with their requests: for the whole server. */
export function PlainDeviceIds({ ids, all = false }: DeviceIdsProps) {
  return (
    <Ids ids={ids} all={all}>
      {(id) => (
        <Text span inherit {...(all ? {} : { c: "dimmed" })} className={`mono ${classes.id}`} title={id}>
          {id}
        </Text>
      )}
    </Ids>
  );
}

interface IdsProps extends DeviceIdsProps {
  readonly children: (id: string) => ReactNode;
}

function Ids({ ids, all = false, children }: IdsProps) {
  const { t } = useTranslation();
  if (ids === null || ids.length === 0) return null;
  const shown = all ? ids : ids.slice(0, maxInRow);
  const more = ids.length - shown.length;
  return (
    <ul className={classes.list} aria-label={t("devices.label")} data-all={all || undefined}>
      {shown.map((id) => (
        <li key={id}>{children(id)}</li>
      ))}
      {more > 0 && (
        <li>
          <Text span inherit c="dimmed">
            {t("devices.more", { number: more })}
          </Text>
        </li>
      )}
    </ul>
  );
}
