/** The currencies to choose from, with their names in a language. */
export function currencyChoices(language: string, current: string) {
  const names = new Intl.DisplayNames(language, { type: "currency" });
  const codes = new Set([current.toUpperCase(), ...Intl.supportedValuesOf("currency")]);
  return [...codes]
    .filter((code) => code === current.toUpperCase() || !isOutOfUse(code, names))
    .map((code) => ({ value: code.toLowerCase(), label: `${code} – ${nameOf(code, names)}` }))
    .sort((one, other) => one.label.localeCompare(other.label, language));
}

/** Browsers list currencies of the past too; their names end with the years. */
function isOutOfUse(code: string, names: Intl.DisplayNames): boolean {
  return (
    /\d{4}/.test(nameOf(code, names)) || code.startsWith("X") !== ["XAF", "XCD", "XOF", "XPF"].includes(code)
  );
}

function nameOf(code: string, names: Intl.DisplayNames): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}
