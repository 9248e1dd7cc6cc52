import { dayMs } from "@countersign/domain/dates/lengths";
import { useNavigate, useRouter } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { type ChangeEvent, type MouseEvent, memo } from "react";
import { useTranslation } from "react-i18next";
import { paths } from "../../session/paths.ts";
import { useCopy } from "../../ui/copy.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { PageLink } from "../../ui/links.tsx";
import { LicenseStatus } from "../../ui/state-mark.tsx";
import { PlainListTime, shortDate } from "../../ui/time.tsx";
import classes from "./license-table.module.css";
import type { License } from "./search.ts";

interface LicenseRowProps {
  readonly index: number;
  readonly license: License;
  readonly isChosen: boolean;
  /** Of the organization. */
  readonly slug: string;
  /** How many characters of tags fit in the column. */
  readonly tagRoom: number;
  /** Undefined if licenses cannot be selected. */
  readonly onToggle?: ((index: number, range: boolean) => void) | undefined;
}

const soonMs = 14 * dayMs;

/**
 * One license. Scrolling renders about forty rows at once, so rows use native elements, are memoized, and leave clicks
 * and keys to the table.
 */
export const LicenseRow = memo(function LicenseRow(props: LicenseRowProps) {
  const { index, license, isChosen, slug, tagRoom, onToggle } = props;
  const { t, i18n } = useTranslation("licenses");
  const { href } = useRouter().buildLocation(paths.license(slug, license.id));
  const customer = license.customer_email ?? license.customer_name ?? license.customer_discord_id;
  const expires = <Expires license={license} t={t} language={i18n.language} />;
  const fitting = tagsThatFit(license.tags, tagRoom);
  return (
    <tr
      data-license-row={index}
      data-chosen={isChosen || undefined}
      aria-rowindex={index + 2}
      className={classes.row}
    >
      {onToggle !== undefined && (
        <td className={classes.check} data-check>
          <input
            type="checkbox"
            aria-label={t("select.one", { key: license.license_key })}
            checked={isChosen}
            onChange={(event) => onToggle(index, isWithShift(event))}
          />
        </td>
      )}
      <td className={classes.key}>
        <span className={classes.keyLine}>
          <a href={href} className={classes.link}>
            {license.license_key}
          </a>
          <CopyKey value={license.license_key} t={t} />
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
        <span className={classes.second}>{expires}</span>
      </td>
      <td data-wide className={classes.time}>
        {expires}
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
        {license.tags.slice(0, fitting).map((tag) => (
          <span key={tag} className={classes.tag}>
            {tag}
          </span>
        ))}
        {license.tags.length > fitting && (
          <span className={classes.faint} title={license.tags.join(", ")}>
            +{license.tags.length - fitting}
          </span>
        )}
      </td>
      <td data-wide className={classes.time}>
        <PlainListTime at={license.created_at} language={i18n.language} />
      </td>
    </tr>
  );
});

/** How many tags fit, at least one. The count of the others is never cut off. */
function tagsThatFit(tags: readonly string[], room: number): number {
  let used = 0;
  // A tag's border and gap take the width of two characters.
  const tooMany = tags.findIndex((tag) => {
    used += tag.length + 2;
    return used > room;
  });
  return tooMany < 0 ? tags.length : Math.max(1, tooMany);
}

/** React fires a checkbox's change from its click event, which has the modifier keys. */
function isWithShift({ nativeEvent }: ChangeEvent): boolean {
  return nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
}

function CopyKey({ value, t }: { value: string; t: TFunction }) {
  const { copy, copied } = useCopy();
  const label = t(copied ? "everywhere:copied" : "everywhere:copy");
  return (
    <button
      type="button"
      className={classes.copy}
      aria-label={label}
      title={label}
      data-copied={copied || undefined}
      onClick={() => copy(value)}
    >
      <Icon name={copied ? "check" : "copy"} size={14} />
    </button>
  );
}

function Expires({ license, t, language }: { license: License; t: TFunction; language: string }) {
  // How long a revoked license would have lasted matters to nobody.
  if (license.expires_at !== null && license.status === "revoked")
    return <span className={classes.faint}>{shortDate(license.expires_at, language)}</span>;
  if (license.expires_at !== null) {
    const leftMs = new Date(license.expires_at).getTime() - Date.now();
    const isSoon = license.status === "active" && leftMs < soonMs;
    return <PlainListTime at={license.expires_at} language={language} isSoon={isSoon} />;
  }
  return (
    <span className={classes.faint}>{license.term_seconds === null ? t("lifetime") : t("fromFirstUse")}</span>
  );
}

interface RowClicks {
  readonly onClick: (event: MouseEvent<HTMLElement>) => void;
  readonly onPointerEnter: () => void;
}

/** The key is the link, but a click anywhere in the row opens the license. */
export function useRowClicks(pageOf: (index: number) => PageLink | null): RowClicks {
  const navigate = useNavigate();
  const router = useRouter();
  return {
    onClick: (event) => {
      const target = event.target as HTMLElement;
      const row = target.closest<HTMLElement>("[data-license-row]");
      const page = row === null ? null : pageOf(Number(row.dataset.licenseRow));
      if (page === null) return;
      const isLink = target.closest("a") !== null;
      const isOther = target.closest("button, input, label, [data-check]") !== null;
      // Selecting text to copy it does not open the page.
      if (!isLink && (isOther || String(window.getSelection()) !== "")) return;
      if (event.ctrlKey || event.metaKey || event.shiftKey) {
        // The browser handles modified clicks on links.
        if (!isLink && !event.shiftKey) window.open(router.buildLocation(page).href, "_blank");
        return;
      }
      event.preventDefault();
      void navigate(page);
    },
    // Pointing at a row preloads its page.
    onPointerEnter: () => {
      const page = pageOf(0);
      if (page !== null) router.preloadRoute(page).catch(() => {});
    },
  };
}
