// An online shop's report service: everybody may look at the prices, reports are for those with a license, and who
// loses theirs is locked out at once by a webhook.
//
//   COUNTERSIGN_URL=… COUNTERSIGN_API_KEY=… COUNTERSIGN_WEBHOOK_SECRET=… PORT=8080 node shop.mjs
import { getLicense, licenseMiddleware, requireLicense, webhookHandler } from "@countersign/express";
import { Countersign } from "@countersign/node";
import express from "express";

const client = new Countersign({ version: "3.2.0" });
const app = express();

// Before any express.json(): a signature is over the bytes as they came.
app.post(
  "/countersign",
  webhookHandler({ secret: process.env.COUNTERSIGN_WEBHOOK_SECRET }, (event) => {
    // What is remembered about licenses may have changed: the next request asks again.
    if (event.type.startsWith("license.")) client.forget();
  }),
);

app.use(express.json());

app.get("/prices", licenseMiddleware({ client }), (request, response) => {
  const isCustomer = getLicense(request)?.allowed === true;
  response.json({ prices: isCustomer ? { report: 0 } : { report: 12 } });
});

app.post("/reports", requireLicense({ client, onRefused: sorry }), (request, response) => {
  const { result } = getLicense(request);
  response
    .status(201)
    .json({ report: request.body.title ?? "untitled", plan: result.custom?.plan ?? "basic" });
});

const server = app.listen(process.env.PORT ?? 8080, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
process.on("SIGTERM", () => server.close());

/** In the words of this shop, and with the status that a support team asks for. */
function sorry(refusal, _request, response) {
  const sentences = {
    license_missing: "Send your license key in the header X-License-Key.",
    expired: "Your license has expired. Renew it to get reports again.",
    license_unverified: "We cannot check licenses at the moment. Try again in a minute.",
  };
  const message = sentences[refusal.code] ?? `Your license is not accepted (${refusal.code}).`;
  response.status(refusal.status).json({ message });
}
