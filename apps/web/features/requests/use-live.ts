import { useEffect, useReducer, useState } from "react";
import { call, type Query, urlOf } from "../../api/client.ts";
import { type LiveEvent, type LiveRows, liveRows, noLiveRows } from "./live-rows.ts";
import type { LoggedRequest } from "./request.ts";

/** `refused`: the server did not open the stream, usually because the user has too many. */
export type LiveConnection = "connecting" | "open" | "lost" | "refused";

/** A busy stream renders a few times a second, not for every request. */
const renderEveryMs = 300;
const retryMs = 5_000;
/** What may have happened between the list and the stream. */
const mostMissed = 200;

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
      call("listRequests", { params, query: { ...wanted, limit: mostMissed }, signal: abort.signal }).then(
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
