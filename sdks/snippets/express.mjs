import { requireLicense } from "@countersign/express";
import { Countersign } from "@countersign/node";
import express from "express";

const client = new Countersign({
  apiKey: process.env.COUNTERSIGN_API_KEY,
  baseUrl: "https://license.example.com",
});

const app = express();
// The key is in the X-License-Key header of each request.
app.get("/reports", requireLicense({ client, version: "1.0.0" }), (request, response) => {
  response.send("Licensed.");
});
app.listen(process.env.PORT ?? 8080);
