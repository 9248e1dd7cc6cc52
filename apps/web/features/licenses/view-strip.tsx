import { expiringDays } from "@countersign/domain/licenses/expiring";
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { notify } from "../../ui/notify.tsx";
import { onDemand } from "../../ui/on-demand.tsx";
import { isSame, type LicenseSearch, licensesRoute, readSearch, withoutGaps } from "./search.ts";
import classes from "./view-strip.module.css";

/** Predefined views. Keys are translation keys. */
const readyViews = [
  { key: "all", search: {} },
  { key: "expiring", search: { expires_within_days: expiringDays, sort: "expires_at", order: "asc" } },
  { key: "neverUsed", search: { never_used: true } },
  { key: "expired", search: { status: "expired" } },
  { key: "revoked", search: { status: "revoked" } },
] as const satisfies readonly { key: string; search: LicenseSearch }[];

const ViewNameDialog = onDemand(() => import("./view-name-dialog.tsx").then((file) => file.ViewNameDialog));

/** Built-in and saved views. Each is a link. */
export function ViewStrip() {
  const { t } = useTranslation("licenses");
  const organization = useOrganization();
  const search = licensesRoute.useSearch();
  const saved = useSavedViews(organization.id);
  // The view being renamed; empty for a new view; null while the dialog is closed.
  const [naming, setNaming] = useState<string | null>(null);
  const views = [
    ...readyViews.map(({ key, search }) => ({
      id: key,
      name: t(`views.${key}`, { days: expiringDays }),
      search,
      isOwn: false,
    })),
    ...saved.views.map(({ name, search }) => ({ id: `own ${name}`, name, search, isOwn: true })),
  ];
  const present = views.find((view) => isSame(view.search, search));
  const remove = (name: string) => {
    const before = saved.views;
    saved.remove(name);
    notify(t("views.removed", { name }), async () => saved.restore(before));
  };
  const close = () => setNaming(null);
  const keep = (name: string) => {
    if (naming === "" || naming === null) saved.save({ name, search });
    else saved.rename(naming, name);
    close();
    notify(t("views.saved", { name }));
  };
  return (
    <nav aria-label={t("views.label")} className={classes.strip}>
      {views.map(({ id, name, search: wanted, isOwn }) => (
        <span key={id} className={classes.view} data-present={id === present?.id || undefined}>
          <Link
            {...paths.licenses(organization.slug, wanted)}
            className={classes.link ?? ""}
            activeProps={{}}
            aria-current={id === present?.id ? "true" : undefined}
          >
            {name}
          </Link>
          {isOwn && id === present?.id && (
            <>
              <IconButton
                icon="edit"
                label={t("views.renameOne", { name })}
                onClick={() => setNaming(name)}
              />
              <IconButton icon="close" label={t("views.removeOne", { name })} onClick={() => remove(name)} />
            </>
          )}
        </span>
      ))}
      {present === undefined && (
        <Button
          size="compact-sm"
          variant="subtle"
          // Aligns the button with the names next to it.
          mb={2}
          leftSection={<Icon name="plus" size={13} />}
          onClick={() => setNaming("")}
          {...ViewNameDialog.near}
        >
          {t("views.save")}
        </Button>
      )}
      <ViewNameDialog opened={naming !== null} before={naming ?? ""} onClose={close} onSave={keep} />
    </nav>
  );
}

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
}

function IconButton({ icon, label, onClick }: IconButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon size="xs" variant="subtle" color="gray" aria-label={label} onClick={onClick}>
        <Icon name={icon} size={12} />
      </ActionIcon>
    </Tooltip>
  );
}

interface View {
  readonly name: string;
  readonly search: LicenseSearch;
}

/** Views saved in this browser, for one organization. */
function useSavedViews(organizationId: string) {
  const storageKey = `countersign.license-views.${organizationId}`;
  const [views, setViews] = useState(() => read(storageKey));
  const keep = (next: readonly View[]) => {
    setViews(next);
    localStorage.setItem(storageKey, JSON.stringify(next));
  };
  return {
    views,
    /** Replaces a view with the same name. */
    save: (view: View) =>
      keep([
        ...views.filter(({ name }) => name !== view.name),
        { name: view.name, search: withoutGaps(view.search) },
      ]),
    /** Keeps its position; another view with the new name is replaced. */
    rename: (from: string, to: string) =>
      keep(
        views
          .filter(({ name }) => name === from || name !== to)
          .map((view) => (view.name === from ? { ...view, name: to } : view)),
      ),
    remove: (name: string) => keep(views.filter((view) => view.name !== name)),
    restore: keep,
  };
}

function read(storageKey: string): readonly View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((view) =>
      typeof view?.name === "string" && typeof view.search === "object" && view.search !== null
        ? [{ name: view.name, search: withoutGaps(readSearch(view.search)) }]
        : [],
    );
  } catch {
    return [];
  }
}
