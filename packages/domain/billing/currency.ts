/** Currencies that have no smaller unit. The Ugandan shilling and the Icelandic króna are counted in hundredths. */
const withoutDecimals: ReadonlySet<string> = new Set(
  "bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split(" "),
);

const withThreeDecimals: ReadonlySet<string> = new Set("bhd jod kwd omr tnd".split(" "));

/**
 * How many decimals an amount in the smallest unit of a currency has, as Stripe counts them. The tables of browsers
 * differ from it, so they only write the number.
 */
export function decimalsOf(currency: string): 0 | 2 | 3 {
  const code = currency.toLowerCase();
  if (withoutDecimals.has(code)) return 0;
  return withThreeDecimals.has(code) ? 3 : 2;
}

/** An amount in the smallest unit of its currency, as it is written in a language: 2900 usd is $29.00. */
export function moneyText(amount: number, currency: string, language: string): string {
  const decimals = decimalsOf(currency);
  return new Intl.NumberFormat(language, {
    style: "currency",
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(amount / 10 ** decimals);
}
