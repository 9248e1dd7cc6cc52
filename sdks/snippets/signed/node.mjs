import { Countersign } from "@countersign/node";

const countersign = new Countersign({
  apiKey: process.env.COUNTERSIGN_API_KEY,
  baseUrl: "https://license.example.com",
  signing: { productId: "PRODUCT-ID", secrets: process.env.COUNTERSIGN_SIGNING_SECRETS },
});

const { valid, status } = await countersign.validate(process.env.LICENSE_KEY, { version: "1.0.0" });
console.log(valid ? "Licensed." : `Not licensed: ${status}`);
