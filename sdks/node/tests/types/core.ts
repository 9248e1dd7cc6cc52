// A program that uses the client, as an app would write it.
import {
  Countersign,
  CountersignError,
  type CountersignOptions,
  RateLimitError,
  type ValidateResult,
  verifyWebhook,
} from "@countersign/node";

interface Plan {
  readonly plan: string;
}

const options: CountersignOptions = { apiKey: "csk_test", baseUrl: "https://license.example.com" };
const client = new Countersign<Plan>(options);

export async function planOf(licenseKey: string | undefined): Promise<string> {
  try {
    const result = await client.validate(licenseKey, { version: "1.0.0" });
    return result.valid ? (result.custom?.plan ?? "basic") : reasonFor(result);
  } catch (error) {
    if (error instanceof RateLimitError) return error.resetAt.toISOString();
    if (error instanceof CountersignError) return error.requestId ?? error.message;
    throw error;
  }
}

function reasonFor(result: ValidateResult<Plan>): string {
  switch (result.status) {
    case "active":
      return "Licensed.";
    case "expired":
      return `Expired on ${result.expires?.toISOString() ?? "an unknown date"}.`;
    default:
      return `Not licensed: ${result.status}`;
  }
}

export function typeOf(body: string, headers: Record<string, string>): string {
  const event = verifyWebhook(body, headers, { secret: `whsec_${"A".repeat(32)}` });
  return event.type;
}
