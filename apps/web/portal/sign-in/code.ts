export const codeLength = 6;

/** The digits of what was typed or pasted: "123 456", "Your code is 123456". At most six. */
export function digitsOf(text: string): string {
  // Some input methods write digits of full width.
  return text.normalize("NFKC").replace(/\D/g, "").slice(0, codeLength);
}

/** A code that was sent, until when it works, and from when on another can be requested. */
export interface SentCode {
  readonly email: string;
  readonly expiresAtMs: number;
  readonly resendAtMs: number;
}

const saved = "countersign.portal.sent-code";
const resendAfterMs = 30_000;

export function newSentCode(email: string, expiresInSeconds: number, nowMs: number): SentCode {
  return { email, expiresAtMs: nowMs + expiresInSeconds * 1_000, resendAtMs: nowMs + resendAfterMs };
}

/** The code that this tab waits for, if it still works. */
export function sentCode(nowMs: number): SentCode | null {
  const text = sessionStorage.getItem(saved);
  if (text === null) return null;
  const code = JSON.parse(text) as SentCode;
  return code.expiresAtMs > nowMs ? code : null;
}

export function rememberSentCode(code: SentCode): void {
  sessionStorage.setItem(saved, JSON.stringify(code));
}

export function forgetSentCode(): void {
  sessionStorage.removeItem(saved);
}
