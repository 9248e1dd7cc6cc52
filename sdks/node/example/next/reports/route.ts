// app/reports/route.ts of a Next.js app: a route handler that requires a license.
import { gate } from "../licensing.ts";

export async function GET(request: Request): Promise<Response> {
  const license = await gate(request);
  if (!license.allowed) return license.response;
  return Response.json({ reports: ["May", "June"], status: license.result?.status ?? null });
}
