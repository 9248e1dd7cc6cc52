// A handler of the standard Request and Response.
import { Countersign } from "@countersign/node";
import { licenseGate, webhookRoute } from "@countersign/node/http";

const client = new Countersign({ apiKey: "csk_test", baseUrl: "https://license.example.com" });
const gate = licenseGate({ client });

export async function GET(request: Request): Promise<Response> {
  const license = await gate(request);
  if (!license.allowed) return license.response;
  return new Response(license.result?.status);
}

export const POST: (request: Request) => Promise<Response> = webhookRoute(
  { secret: `whsec_${"A".repeat(32)}` },
  (event) => {
    if (event.type === "license.revoked") client.forget();
  },
);
