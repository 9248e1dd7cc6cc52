import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../app/current-organization.ts";
import classes from "./device-ids.module.css";
import { GoLink } from "./go-link.tsx";

interface DeviceIdsProps {
  /** The newest first. */
  readonly ids: readonly string[];
  /** Only the requests with this license. */
  readonly licenseId?: string;
  /** Shows them all, in full. */
  readonly all?: boolean;
}

const mostInRow = 2;

/** The device IDs that an IP address was seen with. Each opens its requests. */
export function DeviceIds({ ids, licenseId, all = false }: DeviceIdsProps) {
  const { t } = useTranslation();
  const { slug } = useOrganization();
  const shown = all ? ids : ids.slice(0, mostInRow);
  const more = ids.length - shown.length;
  return (
    <ul className={classes.list} aria-label={t("devices.label")} data-all={all || undefined}>
      {shown.map((id) => (
        <li key={id}>
          <GoLink
            to={`/o/${slug}/requests`}
            search={{ device_id: id, ...(licenseId === undefined ? {} : { license_id: licenseId }) }}
            inherit
            {...(all ? {} : { c: "dimmed" })}
            className={`mono ${classes.id}`}
            title={t("devices.show", { id })}
          >
            {id}
          </GoLink>
        </li>
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
