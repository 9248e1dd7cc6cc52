export const minPasswordLength = 8;
export const maxPasswordLength = 128;

type PasswordFault =
  | { readonly code: "too_short" | "too_long"; readonly params: { readonly count: number } }
  | {
      readonly code: "common_password" | "personal_password";
      readonly params: Readonly<Record<never, never>>;
    };

/** What is wrong with a password; null if nothing is. */
export async function passwordFault(
  password: string,
  person: { readonly email: string; readonly name: string },
): Promise<PasswordFault | null> {
  const length = [...password].length;
  if (length < minPasswordLength) return { code: "too_short", params: { count: minPasswordLength } };
  if (length > maxPasswordLength) return { code: "too_long", params: { count: maxPasswordLength } };
  if (await isCommon(password)) return { code: "common_password", params: {} };
  if (isAbout(password, person)) return { code: "personal_password", params: {} };
  return null;
}

/** So few extra characters around a known word hardly make it harder to guess. */
const maxExtras = 4;

export async function isCommon(password: string): Promise<boolean> {
  const text = password.normalize("NFKC").trim().toLowerCase();
  if (new Set(text).size <= 2) return true;
  if (isRun(text) || isDigitsThatMeanSomething(text)) return true;
  const lists = await import("./common-passwords.ts");
  if (lists.commonPasswords.has(text)) return true;
  // The characters around a word can be substituted letters, as in `$unshine1`, or only digits and symbols.
  const starts = [text, text.replace(/^[^\p{L}]+/u, "")];
  const readings = starts.flatMap((start) => [start, start.replace(/[^\p{L}]+$/u, "")]);
  return readings
    .filter((reading) => text.length - reading.length <= maxExtras)
    .flatMap((reading) => [reading, withoutLeet(reading, "i"), withoutLeet(reading, "l")])
    .some((core) => isKnownWord(core, lists));
}

type Lists = typeof import("./common-passwords.ts");

function isKnownWord(core: string, { commonPasswords, mostCommonPasswords }: Lists): boolean {
  const letters = core.replace(/[^\p{L}]/gu, "");
  if (core.length - letters.length > maxExtras) return false;
  return (
    commonPasswords.has(letters) ||
    commonPasswords.has(once(letters)) ||
    areTwoKnown(letters, mostCommonPasswords)
  );
}

/** `lovelove` is `love`. */
function once(text: string): string {
  for (const times of [2, 3, 4]) {
    const part = text.slice(0, text.length / times);
    if (text.length % times === 0 && part.repeat(times) === text) return part;
  }
  return text;
}

/** Short pairs such as `adminadmin` or `testpass`; longer ones are harder to guess. */
function areTwoKnown(text: string, known: ReadonlySet<string>): boolean {
  if (text.length > 10) return false;
  for (let cut = 3; cut <= text.length - 3; cut++) {
    if (known.has(text.slice(0, cut)) && known.has(text.slice(cut))) return true;
  }
  return false;
}

const leet: Readonly<Record<string, string>> = {
  0: "o",
  3: "e",
  4: "a",
  5: "s",
  7: "t",
  "@": "a",
  $: "s",
  "!": "i",
};

function withoutLeet(text: string, one: "i" | "l"): string {
  return [...text].map((sign) => (sign === "1" ? one : (leet[sign] ?? sign))).join("");
}

const rows = [
  "1234567890",
  "qwertyuiop",
  "qwertzuiop",
  "azertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "yxcvbnm",
  "abcdefghijklmnopqrstuvwxyz",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
  "1q2w3e4r5t6y7u8i9o0p",
  "a1b2c3d4e5f6g7h8i9",
  "147258369",
  "741852963",
  "789456123",
  "159357",
  "!@#$%^&*()",
].flatMap((row) => [row.repeat(3), [...row].reverse().join("").repeat(3)]);

/** One sequence on the keyboard, in the alphabet or of digits, or two of them in a row. */
function isRun(text: string): boolean {
  const isWalk = (part: string) => part === "" || rows.some((row) => row.includes(part));
  if (isWalk(text)) return true;
  for (let cut = 3; cut <= text.length - 3; cut++) {
    if (isWalk(text.slice(0, cut)) && isWalk(text.slice(cut))) return true;
  }
  return false;
}

/** Eight digits are usually a date, and there are few of either. */
function isDigitsThatMeanSomething(text: string): boolean {
  return /^[\d\s./-]+$/.test(text) && text.replace(/\D/g, "").length <= 10;
}

function isAbout(password: string, { email, name }: { email: string; name: string }): boolean {
  const plain = (text: string) =>
    text
      .normalize("NFKC")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]/gu, "");
  const written = plain(password);
  const mailbox = email.split("@")[0] ?? "";
  return [email, mailbox, name].map(plain).some((fact) => {
    if (fact.length < 4) return false;
    return written === fact || (written.includes(fact) && written.length - fact.length <= maxExtras);
  });
}
