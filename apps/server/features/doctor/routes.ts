import * as contract from "@countersign/contract/manage/connection";
import { parseIpAddress } from "@countersign/domain/ip/ip-address";
import { type BoundRoute, bind } from "../../api/context.ts";
import { networkOf, peerHeader } from "../../http/request.ts";
import { eventStreamHeaders, StreamedResponse } from "../../http/response.ts";
import { OldestFirst } from "../../limits/oldest-first.ts";

/** What callers can learn about their own connection, for the checks from outside. */
export const connectionRoutes: readonly BoundRoute[] = [
  bind(contract.getConnection, async ({ request, ip, config }) => {
    if (request.headers.get("x-forwarded-for") === null) return { ip, forwarded_for: "absent" as const };
    const peer = parseIpAddress(request.headers.get(peerHeader) ?? "");
    const isTrusted = peer !== null && config.trustedProxies.covers(peer, Date.now());
    return { ip, forwarded_for: isTrusted ? ("used" as const) : ("ignored" as const) };
  }),

  bind(contract.streamConnection, async ({ request, ip }) => {
    const body = request.method === "HEAD" ? null : twoEvents(networkOf(ip), request.signal);
    const init = { headers: eventStreamHeaders };
    return body === null ? new Response(null, init) : new StreamedResponse(body, init);
  }),
];

const betweenEventsMs = 1_000;
/** Anyone can open them, and each takes a timer. The oldest ends before it is complete. */
const open = new OldestFirst({ inAll: 100, perParty: 4 });

function twoEvents(network: string, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stop = () => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const end = () => {
        stop();
        controller.close();
      };
      const leave = open.enter(network, end);
      const timer = setTimeout(() => {
        controller.enqueue(encoder.encode("event: last\ndata: {}\n\n"));
        end();
      }, betweenEventsMs);
      // A client that leaves before the response has started does not cancel its body.
      signal.addEventListener("abort", end, { once: true });
      stop = () => {
        clearTimeout(timer);
        leave();
        signal.removeEventListener("abort", end);
      };
      controller.enqueue(encoder.encode("event: first\ndata: {}\n\n"));
    },
    cancel: () => stop(),
  });
}
