import { Button, Switch, Text, VisuallyHidden } from "@mantine/core";
import { useEffect, useReducer, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type Query, urlOf } from "../../api/client.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Icon } from "../../ui/icon.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { type LiveEvent, type LiveRows, liveRows, maxLiveRows, noLiveRows } from "./live-rows.ts";
import type { LoggedRequest } from "./request.tsx";
import classes from "./requests.module.css";

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
            <Dimmed>
              {hasSkippedMore
                ? t("live.skippedSome")
                : t("live.skipped", { count: skipped, number: figure(skipped) })}
            </Dimmed>
          )}
          {isCut && <Dimmed>{t("live.cut", { number: figure(maxLiveRows) })}</Dimmed>}
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

/** `refused`: the server did not open the stream, usually because the user has too many. */
type LiveConnection = "connecting" | "open" | "lost" | "refused";

/** A busy stream renders a few times a second, not for every request. */
const renderEveryMs = 300;
const retryMs = 5_000;
/** What may have happened between the list and the stream. */
const maxMissed = 200;

interface Live {
  readonly rows: LiveRows;
  readonly connection: LiveConnection;
  readonly change: (event: LiveEvent) => void;
}

/** The requests that happen from now on, while `isOn`. Another filter starts a new stream. */
export function useLive(
  isOn: boolean,
  organizationId: string,
  query: Partial<Query<"streamRequests">>,
): Live {
  const [rows, change] = useReducer(liveRows, noLiveRows);
  const [connection, setConnection] = useState<LiveConnection>("connecting");
  const filters = JSON.stringify(query);
  useEffect(() => {
    if (!isOn) return;
    change({ kind: "clear" });
    setConnection("connecting");
    const params = { organization_id: organizationId };
    const wanted: Partial<Query<"streamRequests">> = JSON.parse(filters);
    const abort = new AbortController();
    let arrived: LoggedRequest[] = [];
    let source: EventSource | null = null;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const render = setInterval(() => {
      if (arrived.length === 0) return;
      change({ kind: "requests", requests: arrived });
      arrived = [];
    }, renderEveryMs);
    /** The list has what was logged before the stream opened. */
    const catchUp = () =>
      call("listRequests", { params, query: { ...wanted, limit: maxMissed }, signal: abort.signal }).then(
        ({ data }) => arrived.push(...data),
        // The stream reports that the server cannot be reached.
        () => undefined,
      );
    const open = () => {
      source = new EventSource(urlOf("streamRequests", { params, query: wanted }));
      source.addEventListener("open", () => {
        setConnection("open");
        void catchUp();
      });
      source.addEventListener("request", ({ data }) => arrived.push(JSON.parse(data)));
      source.addEventListener("skipped", ({ data }) =>
        change({ kind: "skipped", count: JSON.parse(data).count ?? null }),
      );
      source.addEventListener("error", () => {
        // The browser reconnects on its own, except after a response that is not a stream.
        const isOver = source?.readyState === EventSource.CLOSED;
        setConnection(isOver ? "refused" : "lost");
        if (isOver) retry = setTimeout(open, retryMs);
      });
    };
    open();
    return () => {
      source?.close();
      clearInterval(render);
      clearTimeout(retry);
      abort.abort();
    };
  }, [isOn, organizationId, filters]);
  return { rows: isOn ? rows : noLiveRows, connection, change };
}
