/** How a language writes numbers, for fields in which people type them. */
export function numberSeparators(language: string) {
  const separator = new Intl.NumberFormat(language).format(10_000).charAt(2);
  return {
    thousandSeparator: /\d/.test(separator) ? " " : separator,
    decimalSeparator: separator === "," ? "." : ",",
  } as const;
}
