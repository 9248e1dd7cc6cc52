import { Button, Switch, Text, VisuallyHidden } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import type { LiveEvent, LiveRows } from "./live-rows.ts";
import { mostLiveRows } from "./live-rows.ts";
import classes from "./requests.module.css";
import type { LiveConnection } from "./use-live.ts";

interface LiveBarProps {
  readonly isOn: boolean;
  readonly onTurn: (isOn: boolean) => void;
  readonly rows: LiveRows;
  readonly connection: LiveConnection;
  readonly change: (event: LiveEvent) => void;
}

/** Turns the live view on and off, pauses it, and says how it is doing. */
export function LiveBar({ isOn, onTurn, rows, connection, change }: LiveBarProps) {
  const { t, i18n } = useTranslation("requests");
  const { isPaused, waiting, skipped, hasSkippedMore, isCut } = rows;
  const figure = (count: number) => count.toLocaleString(i18n.language);
  return (
    <div className={classes.live}>
      <Switch
        label={t("live.label")}
        checked={isOn}
        onChange={(event) => onTurn(event.currentTarget.checked)}
      />
      {isOn && (
        <>
          <Button
            size="compact-sm"
            variant={isPaused ? "light" : "default"}
            leftSection={<Icon name={isPaused ? "play" : "pause"} size={14} />}
            onClick={() => change({ kind: isPaused ? "resume" : "pause" })}
          >
            {!isPaused
              ? t("live.pause")
              : waiting.length === 0
                ? t("live.resume")
                : t("live.resumeWith", { number: figure(waiting.length) })}
          </Button>
          <Text size="sm" component="div" role="status">
            <ConnectionState connection={connection} isPaused={isPaused} />
          </Text>
          {(skipped > 0 || hasSkippedMore) && (
            <Text size="sm" c="dimmed">
              {hasSkippedMore
                ? t("live.skippedSome")
                : t("live.skipped", { count: skipped, number: figure(skipped) })}
            </Text>
          )}
          {isCut && (
            <Text size="sm" c="dimmed">
              {t("live.cut", { number: figure(mostLiveRows) })}
            </Text>
          )}
          <Announcement rows={rows} />
        </>
      )}
    </div>
  );
}

interface ConnectionStateProps {
  readonly connection: LiveConnection;
  readonly isPaused: boolean;
}

function ConnectionState({ connection, isPaused }: ConnectionStateProps) {
  const { t } = useTranslation("requests");
  switch (connection) {
    case "connecting":
      return <StateMark tone="wait">{t("live.connecting")}</StateMark>;
    case "lost":
      return <StateMark tone="warn">{t("live.lost")}</StateMark>;
    case "refused":
      return <StateMark tone="bad">{t("live.refused")}</StateMark>;
    case "open":
      return isPaused ? (
        <StateMark tone="off">{t("live.paused")}</StateMark>
      ) : (
        <StateMark tone="good">{t("live.open")}</StateMark>
      );
  }
}

const announceEveryMs = 10_000;

/** Screen readers hear now and then how many requests are new, not every one of them. */
function Announcement({ rows }: { rows: LiveRows }) {
  const { t, i18n } = useTranslation("requests");
  const newest = useRef(rows.shown);
  newest.current = rows.shown;
  const [count, setCount] = useState(0);
  useEffect(() => {
    // The first requests are those of the list.
    let announced: string | undefined;
    const timer = setInterval(() => {
      const ids = newest.current.map(({ id }) => id);
      const last = announced === undefined ? 0 : ids.indexOf(announced);
      setCount(last === -1 ? ids.length : last);
      announced = ids[0];
    }, announceEveryMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <VisuallyHidden role="status">
      {count > 0 && t("live.arrived", { count, number: count.toLocaleString(i18n.language) })}
    </VisuallyHidden>
  );
}
