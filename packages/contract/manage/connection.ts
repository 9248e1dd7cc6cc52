import { z } from "zod";
import { anyone, route } from "../api/route.ts";

const group = "Connection";

export const connection = z
  .object({
    ip: z.string().nullable().meta({
      description:
        "The IP address that IP limits and blocks see, in its canonical form. Null if it is not known.",
    }),
    forwarded_for: z.enum(["absent", "used", "ignored"]).meta({
      description:
        "What happened to the `X-Forwarded-For` that reached the server: there was none, a trusted proxy sent it, or it was ignored, because whoever connected to the server is not in `COUNTERSIGN_TRUSTED_PROXIES`.",
    }),
  })
  .meta({ id: "Connection" });

export const getConnection = route({
  id: "getConnection",
  method: "GET",
  path: "/connection",
  summary: "Get how the server sees your request",
  description:
    "For checking a reverse proxy: `countersign doctor --url` sends forged headers and compares. It says nothing about anyone else's requests.",
  group,
  access: anyone("anything"),
  problems: ["too_many_attempts"],
  answer: connection,
});

export const streamConnection = route({
  id: "streamConnection",
  method: "GET",
  path: "/connection/stream",
  summary: "Check that a proxy passes events on at once",
  description:
    "Server-sent events: `first` at once and `last` after a second, which ends the stream. If both arrive together, a proxy collects what it should pass on, and the live view of requests does not work.",
  group,
  access: anyone("anything"),
  problems: ["too_many_attempts"],
  answerType: "text/event-stream",
  answer: z.string(),
});
