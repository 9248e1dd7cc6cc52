import { ActionIcon, NativeSelect, Text, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { tell, tellProblem } from "../../ui/tell.tsx";
import classes from "./timeline.module.css";
import { type ProductVersion, states, useStateChange, type VersionState } from "./use-versions.ts";

interface TimelineProps {
  readonly productId: string;
  readonly versions: readonly ProductVersion[];
  readonly mayManage: boolean;
}

const marks: Record<VersionState, IconName | null> = {
  latest: "check",
  allowed: null,
  deprecated: "clock",
  blocked: "block",
};

/** Newest first, by the order of the versions themselves. */
export function Timeline({ productId, versions, mayManage }: TimelineProps) {
  const { t } = useTranslation("versions");
  const change = useStateChange(productId);
  const remove = useChange("deleteVersion", ["listVersions"]);
  const add = useChange("addVersion", ["listVersions"]);
  const params = { product_id: productId };
  const setState = ({ version, state: before }: ProductVersion, state: VersionState) => {
    const latest = versions.find((other) => other.state === "latest")?.version;
    change.mutate(
      { version, state },
      {
        onSuccess: () =>
          tell(t("changed", { version, state: t(`states.${state}`) }), async () => {
            await change.mutateAsync({ version, state: before });
            // The one that had to give its place up gets it back.
            if (state === "latest" && latest !== undefined)
              await change.mutateAsync({ version: latest, state: "latest" });
          }),
        onError: tellProblem,
      },
    );
  };
  const drop = ({ version, state }: ProductVersion) =>
    remove.mutate(
      { params: { ...params, version } },
      {
        onSuccess: () =>
          tell(t("removed", { version }), () => add.mutateAsync({ params, body: { version, state } })),
        onError: tellProblem,
      },
    );
  return (
    <ol className={classes.timeline} aria-label={t("title")}>
      {versions.map((row) => (
        <li key={row.version} className={classes.entry} data-state={row.state}>
          <span className={classes.mark}>
            {marks[row.state] !== null && <Icon name={marks[row.state] ?? "check"} size={12} />}
          </span>
          <span className={classes.version}>{row.version}</span>
          <Text size="sm" c="dimmed" className={classes.means ?? ""}>
            {t(`${isLine(row.version) ? "lineMeans" : "means"}.${row.state}`)}
          </Text>
          <Text size="sm" c="dimmed" className={classes.time ?? ""}>
            <ListTime at={row.created_at} />
          </Text>
          {mayManage ? (
            <>
              <NativeSelect
                size="xs"
                className={classes.state ?? ""}
                aria-label={t("stateOf", { version: row.version })}
                value={row.state}
                onChange={(event) => setState(row, event.currentTarget.value as VersionState)}
                data={states.map((value) => ({ value, label: t(`states.${value}`) }))}
              />
              <Tooltip label={t("remove")}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t("removeOf", { version: row.version })}
                  onClick={() => drop(row)}
                >
                  <Icon name="trash" size={16} />
                </ActionIcon>
              </Tooltip>
            </>
          ) : (
            <Text size="sm" className={classes.state ?? ""}>
              {t(`states.${row.state}`)}
            </Text>
          )}
        </li>
      ))}
    </ol>
  );
}

function isLine(version: string): boolean {
  return /[x*]$/i.test(version);
}
