import { describe, expect, test } from "bun:test";
import { amountFromText, amountToText, shownAmount } from "./money.ts";

const amount = (text: string, currency = "usd", language = "en") => {
  const read = amountFromText(text, currency, language);
  return read.ok ? read.amount : read.problem;
};

describe("amounts", () => {
  test.each<[read: ReturnType<typeof amount>, texts: string[]]>([
    [1900, ["19"]],
    [1990, ["19.9"]],
    [1999, ["19.99", "19,99"]],
    [1, ["0.01"]],
    [0, ["0"]],
    [129_000, ["1290.00", "1,290"]],
    [129_050, ["1,290.50", "1.290,50", "1 290,50", "1'290.50"]],
    [99_999_999, ["999,999.99"]],
    ["unreadable", ["", "-5", "$5", "5.", ".5", "1e3", "1,29,00", "1.290.5"]],
    ["tooManyDecimals", ["1.290", "19.990", "19.999"]],
    ["tooLarge", ["1000000"]],
  ])("the result is %p for each amount of %j", (read, texts) =>
    expect(texts.map((text) => amount(text))).toEqual(texts.map(() => read)),
  );

  test("a separator before three digits is read as in the language", () => {
    expect(amount("1.290", "eur", "de")).toBe(129_000);
    expect(amount("1,290", "eur", "de")).toBe("tooManyDecimals");
    expect(amount("1.290.000", "jpy", "en")).toBe(1_290_000);
  });

  test("an amount is read in the currency's own smallest unit", () => {
    const tooMany = "tooManyDecimals";
    expect(["500", "500.5", "500.00"].map((text) => amount(text, "jpy"))).toEqual([500, tooMany, 500]);
    expect(["5.12", "5.124"].map((text) => amount(text, "kwd"))).toEqual([5120, tooMany]);
  });

  test.each(["usd en", "eur de", "jpy es", "kwd en", "isk de"])("every amount in %s is read back", (both) => {
    const [currency = "", language = ""] = both.split(" ");
    const step = currency === "kwd" ? 10 : 1;
    for (let cents = step; cents < 100_000; cents += 7 * step)
      expect(amount(amountToText(cents, currency, language), currency, language)).toBe(cents);
  });

  test("an amount is shown in the reader's language", () => {
    expect(shownAmount(1990, "usd", "en")).toBe("$19.90");
    expect(shownAmount(129_000, "eur", "de").replace(/\s/g, " ")).toBe("1.290,00 €");
    expect(shownAmount(500, "jpy", "en")).toBe("¥500");
    expect(shownAmount(5120, "kwd", "en").replace(/\s/g, " ")).toBe("KWD 5.120");
    expect(shownAmount(100, "not a currency", "en")).toBe("1.00 NOT A CURRENCY");
  });
});
