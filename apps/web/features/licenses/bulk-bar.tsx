import { Button, Group, Menu, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../session/current-organization.ts";
import { Icon } from "../../ui/icon.tsx";
import { onDemand } from "../../ui/on-demand.tsx";
import { type BulkAction, bulkActions } from "./bulk-actions.ts";
import classes from "./bulk-bar.module.css";
import { filterOf, type LicenseSearch } from "./search.ts";
import type { Selection } from "./selection.ts";

interface BulkBarProps {
  readonly selection: Selection;
  readonly search: LicenseSearch;
  /** The number of matching licenses as text, once known. */
  readonly matching: string | undefined;
  readonly onDone: () => void;
}

const BulkDialog = onDemand(() => import("./bulk-dialog.tsx").then((file) => file.BulkDialog));

/** How many actions are buttons; the others are in a menu. */
const buttonCount = 3;

/** Actions for the selected licenses. */
export function BulkBar({ selection, search, matching, onDone }: BulkBarProps) {
  const { t, i18n } = useTranslation("licenses");
  const may = useMay();
  const [action, setAction] = useState<BulkAction | null>(null);
  const offered = bulkActions.filter(({ needs }) => may(needs));
  const count = selection.ids.size;
  if (!selection.isAll && count === 0) return null;
  return (
    <section className={classes.bar} aria-label={t("select.bar")}>
      <Group gap="xs" wrap="nowrap">
        <Text fw={600} size="sm" className="figures" aria-live="polite">
          {selection.isAll
            ? t("select.allMatching", { licenses: matching ?? "" })
            : t("select.selected", { count, number: count.toLocaleString(i18n.language) })}
        </Text>
        {!selection.isAll && (
          <Button size="compact-sm" variant="subtle" onClick={selection.chooseAllThatMatch}>
            {t("select.selectAll")}
          </Button>
        )}
        <Button size="compact-sm" variant="subtle" color="gray" onClick={selection.clear}>
          {t("select.clear")}
        </Button>
      </Group>
      <Group gap="xs" wrap="nowrap">
        {offered.slice(0, buttonCount).map(({ action: one, icon }) => (
          <Button
            key={one}
            size="xs"
            variant="default"
            visibleFrom="md"
            leftSection={<Icon name={icon} size={14} />}
            onClick={() => setAction(one)}
            {...BulkDialog.near}
          >
            {t(`bulk.${one}.name`)}
          </Button>
        ))}
        {offered.length > 0 && (
          <Menu position="top-end" width={230} withinPortal>
            <Menu.Target>
              <Button
                size="xs"
                variant="default"
                rightSection={<Icon name="down" size={13} />}
                {...BulkDialog.near}
              >
                {t("select.actions")}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {offered.map(({ action: one, icon, isFinal }) => (
                <Menu.Item
                  key={one}
                  leftSection={<Icon name={icon} size={15} />}
                  {...(isFinal ? { color: "red" } : {})}
                  onClick={() => setAction(one)}
                >
                  {t(`bulk.${one}.name`)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      <BulkDialog
        action={action}
        opened={action !== null}
        selection={selection.isAll ? { filter: filterOf(search) } : { ids: [...selection.ids] }}
        onClose={() => setAction(null)}
        onDone={() => {
          setAction(null);
          onDone();
        }}
      />
    </section>
  );
}
