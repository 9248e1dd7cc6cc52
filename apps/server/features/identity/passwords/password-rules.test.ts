import { expect, test } from "bun:test";
import { isCommon, passwordFault } from "./password-rules.ts";

const common = [
  ..."password Password1 p@$$w0rd P@ssw0rd! Qwertyuiop iloveyou2 19870412 Passw0rd2024 $unshine1".split(" "),
  ..."qwerty123 1q2w3e4r5t qazwsxedc asdfasdf 12345678 87654321 11223344 2001-12-31 aaaaaaaa".split(" "),
  ..."abababab iloveyou! letmein123 adminadmin monkey2020 Dragon!! trustno1 football99".split(" "),
  ..."ｐａｓｓｗｏｒｄ voxstrange VOXSTRANGE countersign1".split(" "),
  "  Password1 ",
];
const uncommon = [
  ..."xK9#mQ2v dragon8472910 Tr0ub4dor&3 purple-lamp-river".split(" "),
  ...["a good password", "correct horse battery staple", "9301 5527 8846", "пароль не простой"],
];

test.each(common)("%p is a common password", async (password) => expect(await isCommon(password)).toBe(true));

test.each(uncommon)("%p is not common", async (password) => expect(await isCommon(password)).toBe(false));

test.each([
  ["ada.lovelace@example.com", false],
  ["AdaLovelace1", false],
  ["ada lovelace!", false],
  [" ADA.LOVELACE ", false],
  ["lovelace likes long engines", true],
])("that the password %p is good for Ada Lovelace is %p", async (password, isGood) => {
  const ada = { email: "ada.lovelace@example.com", name: "Ada Lovelace" };
  expect((await passwordFault(password, ada)) === null).toBe(isGood);
});

test.each([
  ["xK9#mQ2", { code: "too_short", params: { count: 8 } }],
  ["ab1cdefg".repeat(16), null],
  [`${"ab1cdefg".repeat(16)}x`, { code: "too_long", params: { count: 128 } }],
  ["🦊🐻🐼🐨🐯🦁🐮🐷", null],
] as const)("the length of %s is counted in characters, from 8 to 128", async (password, fault) => {
  expect(await passwordFault(password, { email: "", name: "" })).toEqual(fault);
});
