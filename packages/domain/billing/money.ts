/** Amounts are whole numbers in the smallest unit of their currency, as Stripe counts it. */

const withoutDecimals = new Set("bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split(" "));
const withThreeDecimals = new Set("bhd jod kwd omr tnd".split(" "));

/** How many decimals the smallest unit is: 2 for cents. Stripe and the browsers disagree about some currencies. */
function decimalsOf(currency: string): number {
  const code = currency.toLowerCase();
  if (withoutDecimals.has(code)) return 0;
  return withThreeDecimals.has(code) ? 3 : 2;
}

/** An amount as people read it, such as "$19.00". */
export function shownAmount(amount: number, currency: string, language: string): string {
  const decimals = decimalsOf(currency);
  const major = amount / 10 ** decimals;
  try {
    return new Intl.NumberFormat(language, {
      style: "currency",
      currency,
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    }).format(major);
  } catch {
    // Not a currency code. It cannot be set, but a stored one must not break a page.
    return `${major.toFixed(decimals)} ${currency.toUpperCase()}`;
  }
}

/** An amount as text to edit, with the decimal separator of the language: "19.90", "1290". */
export function amountToText(amount: number, currency: string, language: string): string {
  const decimals = decimalsOf(currency);
  const text = (amount / 10 ** decimals).toFixed(Math.min(decimals, typedDecimals));
  return text.replace(".", decimalSeparator(language));
}

type TypedAmount =
  | { readonly ok: true; readonly amount: number }
  | { readonly ok: false; readonly problem: "unreadable" | "tooManyDecimals" | "tooLarge" };

/** Stripe takes no third decimal other than 0. */
const typedDecimals = 2;
const maxAmount = 99_999_999;

/**
 * Reads an amount in the unit that people use: "19", "19.9" and "19,90" are the same in every language. A group has three
 * digits, so that "1,290" is one thousand, unless the language writes decimals that way: then it has too many of them.
 */
export function amountFromText(text: string, currency: string, language: string): TypedAmount {
  const plain = text.replace(/[\s\u00a0\u202f'’]/g, "");
  const match = /^(\d{1,3}(?:([.,])\d{3})(?:\2\d{3})*|\d+)(?:([.,])(\d+))?$/.exec(plain);
  if (match === null) return { ok: false, problem: "unreadable" };
  const [, whole = "", group, point, fraction = ""] = match;
  if (group !== undefined && group === point) return { ok: false, problem: "unreadable" };
  const isOneGroup = group !== undefined && point === undefined && whole.split(group).length === 2;
  if (isOneGroup && group === decimalSeparator(language)) return { ok: false, problem: "tooManyDecimals" };
  const decimals = decimalsOf(currency);
  if (fraction.replace(/0+$/, "").length > Math.min(decimals, typedDecimals))
    return { ok: false, problem: "tooManyDecimals" };
  // As text, because 19.99 * 100 is not 1999.
  const units = Number(whole.replace(/[.,]/g, "") + fraction.padEnd(decimals, "0").slice(0, decimals));
  return units > maxAmount ? { ok: false, problem: "tooLarge" } : { ok: true, amount: units };
}

function decimalSeparator(language: string): string {
  const parts = new Intl.NumberFormat(language).formatToParts(0.5);
  return parts.find(({ type }) => type === "decimal")?.value ?? ".";
}
