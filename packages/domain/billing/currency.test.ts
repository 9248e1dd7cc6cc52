import { expect, test } from "bun:test";
import { moneyText } from "./currency.ts";

test.each([
  [2_900, "usd", "en", "$29.00"],
  [2_900, "eur", "de", "29,00\u00a0€"],
  [290_000, "eur", "es", "2900,00\u00a0€"],
  [2_900, "jpy", "en", "¥2,900"],
  [2_900, "JPY", "de", "2.900\u00a0¥"],
  [2_900, "kwd", "en", "KWD\u00a02.900"],
  [2_900, "ugx", "en", "UGX\u00a029.00"],
  [-1_250, "usd", "en", "-$12.50"],
  [0, "usd", "en", "$0.00"],
])("%d %s in %s is %s", (amount, currency, language, text) => {
  expect(moneyText(amount, currency, language)).toBe(text);
});
