// A shop that sells reports: prices are public, reports require a license, and a webhook makes a revoked license lose
// access immediately. Customers can solve some rejections themselves, and get a link to the portal.
//
//   COUNTERSIGN_URL=… COUNTERSIGN_API_KEY=… COUNTERSIGN_WEBHOOK_SECRET=… PORT=8080 node shop.mjs
import { getLicense, licenseMiddleware, requireLicense, webhookHandler } from "@countersign/express";
import { Countersign } from "@countersign/node";
import express from "express";

const client = new Countersign({ version: "3.2.0" });
const app = express();

// Before any express.json(): the signature covers the raw bytes.
app.post(
  "/countersign",
  webhookHandler({ secret: process.env.COUNTERSIGN_WEBHOOK_SECRET }, (event) => {
    // Cached results may be outdated: the next request validates again.
    if (event.type.startsWith("license.")) client.forget();
  }),
);

app.use(express.json());

app.get("/prices", licenseMiddleware({ client }), (request, response) => {
  const isCustomer = getLicense(request)?.allowed === true;
  response.json({ prices: isCustomer ? { report: 0 } : { report: 12 } });
});

app.post("/reports", requireLicense({ client, onRefused: sendRejection }), (request, response) => {
  const { result } = getLicense(request);
  response
    .status(201)
    .json({ report: request.body.title ?? "untitled", plan: result.custom?.plan ?? "basic" });
});

const server = app.listen(process.env.PORT ?? 8080, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
process.on("SIGTERM", () => server.close());

/** Explains the rejection to the customer. Other statuses get a generic message. */
function sendRejection(refusal, _request, response) {
  const messages = {
    license_missing: "Send your license key in the header X-License-Key.",
    expired: "Your license has expired. Renew it to get reports again.",
    ip_limit_reached: "Your license is already in use from the maximum number of IP addresses.",
    ip_not_registered: "Your license does not cover this IP address.",
    license_unverified: "Licenses cannot be validated at the moment. Try again in a minute.",
  };
  const message = messages[refusal.code] ?? `Your license is not accepted (${refusal.code}).`;
  const solvedInPortal = ["expired", "ip_limit_reached", "ip_not_registered"];
  // The URL contains the key: it belongs only in the response to the request that sent that key.
  const link = solvedInPortal.includes(refusal.code) ? { portal_url: client.portalUrl(refusal.key) } : {};
  response.status(refusal.status).json({ message, ...link });
}
