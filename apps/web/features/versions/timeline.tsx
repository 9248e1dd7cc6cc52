import { ActionIcon, NativeSelect, Stack, Text, Tooltip } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useVersionChecks } from "../../session/plan.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { AffectedLicenses } from "../products/frame/affected-licenses.tsx";
import { checksVersions } from "../products/frame/consequence.ts";
import type { Product } from "../products/frame/use-product.ts";
import {
  type ProductVersion,
  states,
  useStateChange,
  type VersionState,
} from "../products/frame/use-versions.ts";
import { isLastPassing, rejectsPassing } from "./rejects-passing.ts";
import classes from "./timeline.module.css";

interface TimelineProps {
  readonly product: Product;
  readonly versions: readonly ProductVersion[];
  readonly mayManage: boolean;
}

const marks: Record<VersionState, IconName | null> = {
  latest: "check",
  allowed: null,
  deprecated: "clock",
  blocked: "block",
};

/** Newest first, in version order. */
export function Timeline({ product, versions, mayManage }: TimelineProps) {
  const { t } = useTranslation("versions");
  const versionChecks = useVersionChecks();
  const { id: productId } = product;
  const [asked, setAsked] = useState<Asked | null>(null);
  const change = useStateChange(productId);
  const remove = useChange("deleteVersion");
  const add = useChange("addVersion");
  const params = { product_id: productId };
  const setState = ({ version, state: before }: ProductVersion, state: VersionState) => {
    const latest = versions.find((other) => other.state === "latest")?.version;
    change.mutate(
      { version, state },
      {
        onSuccess: () =>
          notify(t("changed", { version, state: t(`states.${state}`) }), async () => {
            await change.mutateAsync({ version, state: before });
            // Restores the version that was latest before.
            if (state === "latest" && latest !== undefined)
              await change.mutateAsync({ version: latest, state: "latest" });
          }),
        onError: notifyProblem,
      },
    );
  };
  const drop = ({ version, state }: ProductVersion) =>
    remove.mutate(
      { params: { ...params, version } },
      {
        onSuccess: () =>
          notify(t("removed", { version }), () => add.mutateAsync({ params, body: { version, state } })),
        onError: notifyProblem,
      },
    );
  /** Immediately, if no app that is accepted now would be rejected. */
  const askFirst = (row: ProductVersion, isGone: boolean, run: () => void) => {
    if (checksVersions(product, { versionChecks }) && rejectsPassing(versions, row, isGone))
      setAsked({ row, isGone, run });
    else run();
  };
  return (
    <>
      <ol className={classes.timeline} aria-label={t("title")}>
        {versions.map((row) => (
          <li key={row.version} className={classes.entry} data-state={row.state}>
            <span className={classes.mark}>
              {marks[row.state] !== null && <Icon name={marks[row.state] ?? "check"} size={12} />}
            </span>
            <span className={classes.version}>{row.version}</span>
            <Text size="sm" c="dimmed" className={classes.means ?? ""}>
              {t(`${isLine(row.version) ? "rangeDescription" : "description"}.${row.state}`)}
            </Text>
            <Text size="sm" c="dimmed" className={classes.time ?? ""}>
              <ListTime at={row.created_at} />
            </Text>
            {mayManage ? (
              <>
                <NativeSelect
                  size="xs"
                  aria-label={t("stateOf", { version: row.version })}
                  value={row.state}
                  onChange={(event) => {
                    const state = event.currentTarget.value as VersionState;
                    if (state === "blocked") askFirst(row, false, () => setState(row, state));
                    else setState(row, state);
                  }}
                  data={states.map((value) => ({ value, label: t(`states.${value}`) }))}
                />
                <Tooltip label={t("remove")}>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t("removeOf", { version: row.version })}
                    onClick={() => askFirst(row, true, () => drop(row))}
                  >
                    <Icon name="trash" size={16} />
                  </ActionIcon>
                </Tooltip>
              </>
            ) : (
              <Text size="sm">{t(`states.${row.state}`)}</Text>
            )}
          </li>
        ))}
      </ol>
      <Confirm
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title={t(asked?.isGone === false ? "confirm.block" : "confirm.remove", {
          version: asked?.row.version,
        })}
        action={t(asked?.isGone === false ? "confirm.blockDo" : "confirm.removeDo")}
        onConfirm={async () => asked?.run()}
      >
        {asked !== null && (
          <Stack gap="xs">
            <Text>
              {isLastPassing(versions, asked.row)
                ? t("confirm.last")
                : t("confirm.words", { version: asked.row.version })}
            </Text>
            <AffectedLicenses
              product={product}
              words={isLastPassing(versions, asked.row) ? "rejects" : "affects"}
            />
          </Stack>
        )}
      </Confirm>
    </>
  );
}

interface Asked {
  readonly row: ProductVersion;
  readonly isGone: boolean;
  readonly run: () => void;
}

function isLine(version: string): boolean {
  return /[x*]$/i.test(version);
}
