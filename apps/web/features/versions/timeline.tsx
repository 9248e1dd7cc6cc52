import { VersionCatalog } from "@countersign/domain/versions/catalog";
import { parseVersion } from "@countersign/domain/versions/version";
import { ActionIcon, NativeSelect, Stack, Text, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useVersionChecks } from "../../session/plan.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { ListTime } from "../../ui/time.tsx";
import { checksVersions } from "../products/frame/consequence.ts";
import { SeenLicenses } from "../products/frame/seen-licenses.tsx";
import type { Product } from "../products/frame/use-product.ts";
import {
  type ProductVersion,
  states,
  useStateChange,
  type VersionState,
} from "../products/frame/use-versions.ts";
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
  const question = useConfirm((row: ProductVersion, isGone: boolean, run: () => void) => {
    const isLast = isLastPassing(versions, row);
    return {
      title: t(isGone ? "confirm.remove" : "confirm.block", { version: row.version }),
      action: t(isGone ? "confirm.removeDo" : "confirm.blockDo"),
      onConfirm: async () => run(),
      children: (
        <Stack gap="xs">
          <Text>{isLast ? t("confirm.last") : t("confirm.words", { version: row.version })}</Text>
          <SeenLicenses
            product={product}
            change={{ type: isGone ? "remove_version" : "block_version", version: row.version }}
          />
        </Stack>
      ),
    };
  });
  /** Immediately, if no app that is accepted now would be rejected. */
  const askFirst = (row: ProductVersion, isGone: boolean, run: () => void) => {
    if (checksVersions(product, { versionChecks }) && rejectsPassing(versions, row, isGone))
      question.ask(row, isGone, run);
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
      {question.dialog}
    </>
  );
}

function isLine(version: string): boolean {
  return /[x*]$/i.test(version);
}

type Entry = Pick<ProductVersion, "version" | "state">;

/**
 * Whether versions that pass now are refused after an entry is blocked or removed. Exact for a single version, assumed
 * for a whole line.
 */
export function rejectsPassing(versions: readonly Entry[], entry: Entry, isGone: boolean): boolean {
  if (entry.state === "blocked") return false;
  const version = parseVersion(entry.version);
  if (!isGone || version === null) return true;
  const rest = VersionCatalog.from(versions.filter((other) => other.version !== entry.version));
  return ["blocked", "missing"].includes(rest.stateOf(version));
}

/** Whether no other version passes. */
export function isLastPassing(versions: readonly Entry[], entry: Entry): boolean {
  return versions.every((other) => other.version === entry.version || other.state === "blocked");
}
