export function signedDelivery(
  secret: string,
  body: string,
): { method: string; headers: Record<string, string>; body: string };
