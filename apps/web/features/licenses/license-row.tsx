import { Badge, Checkbox } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { type MouseEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../../app/here.ts";
import { Copy } from "../../ui/copy.tsx";
import { LicenseStatus } from "../../ui/license-status.tsx";
import classes from "./license-table.module.css";
import type { License } from "./list-page.tsx";
import { When } from "./when.tsx";

interface LicenseRowProps {
  readonly index: number;
  readonly license: License;
  readonly isChosen: boolean;
  readonly onToggle: (index: number, range: boolean) => void;
}

const soonMs = 14 * 86_400_000;

/** One license. Its key is the link; the rest of the row leads there too, for a hand that aims badly. */
export function LicenseRow({ index, license, isChosen, onToggle }: LicenseRowProps) {
  const { t } = useTranslation("licenses");
  const navigate = useNavigate();
  const { slug } = useOrganization();
  const withShift = useRef(false);
  const to = `/o/${slug}/licenses/${license.id}` as "/";
  const open = (event: MouseEvent<HTMLTableRowElement>) => {
    const target = event.target as HTMLElement;
    // Words that somebody marks to copy them are no wish to leave.
    if (target.closest("a, button, input, label, [data-check]") || String(window.getSelection()) !== "")
      return;
    if (event.ctrlKey || event.metaKey) window.open(to, "_blank");
    else void navigate({ to });
  };
  const customer = license.customer_email ?? license.customer_name ?? license.customer_discord_id;
  return (
    <tr
      onClick={open}
      data-license-row={index}
      data-chosen={isChosen || undefined}
      aria-rowindex={index + 2}
      className={classes.row}
    >
      <td className={classes.check} data-check>
        <Checkbox
          size="xs"
          aria-label={t("select.one", { key: license.license_key })}
          checked={isChosen}
          onClick={(event) => {
            withShift.current = event.shiftKey;
          }}
          onChange={() => onToggle(index, withShift.current)}
        />
      </td>
      <td className={classes.key}>
        <span className={classes.keyLine}>
          <Link to={to} className={classes.link ?? ""}>
            {license.license_key}
          </Link>
          <Copy value={license.license_key} />
        </span>
        <span className={classes.second}>{customer}</span>
      </td>
      <td data-wide title={[customer, license.customer_name].join(" ")}>
        {customer}
      </td>
      <td data-wide className={classes.product}>
        {license.product_name}
      </td>
      <td className={classes.state}>
        <LicenseStatus status={license.status} />
        <span className={classes.second}>
          <Expires license={license} />
        </span>
      </td>
      <td data-wide className={classes.time}>
        <Expires license={license} />
      </td>
      <td data-wide className={`${classes.ips} figures`}>
        {license.ip_system_enabled ? (
          <span data-full={license.current_unique_ip_count >= (license.max_ips ?? Infinity) || undefined}>
            {license.current_unique_ip_count} / {license.max_ips ?? "∞"}
          </span>
        ) : (
          <span className={classes.faint} title={t("ipsOff")}>
            {t("off")}
          </span>
        )}
      </td>
      <td data-wider className={classes.tags}>
        {license.tags.slice(0, 2).map((tag) => (
          <Badge key={tag} variant="default" size="sm" radius="sm" tt="none" fw={500} mr={4} maw={96}>
            {tag}
          </Badge>
        ))}
        {license.tags.length > 2 && (
          <span className={classes.faint} title={license.tags.join(", ")}>
            +{license.tags.length - 2}
          </span>
        )}
      </td>
      <td data-wide className={classes.time}>
        <When at={license.created_at} />
      </td>
    </tr>
  );
}

function Expires({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  if (license.expires_at !== null) {
    const leftMs = new Date(license.expires_at).getTime() - Date.now();
    return <When at={license.expires_at} isSoon={license.status === "active" && leftMs < soonMs} />;
  }
  return (
    <span className={classes.faint}>{license.term_seconds === null ? t("lifetime") : t("fromFirstUse")}</span>
  );
}
