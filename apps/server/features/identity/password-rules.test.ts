import { describe, expect, test } from "bun:test";
import { isCommon, passwordFault } from "./password-rules.ts";

describe("common passwords are rejected", () => {
  test.each([
    "password",
    "Password1",
    "p@$$w0rd",
    "P@ssw0rd!",
    "Qwertyuiop",
    "iloveyou2",
    "19870412",
    "Passw0rd2024",
    "$unshine1",
    "qwerty123",
    "1q2w3e4r5t",
    "qazwsxedc",
    "asdfasdf",
    "12345678",
    "87654321",
    "11223344",
    "2001-12-31",
    "aaaaaaaa",
    "abababab",
    "iloveyou!",
    "letmein123",
    "adminadmin",
    "monkey2020",
    "Dragon!!",
    "trustno1",
    "football99",
    "ｐａｓｓｗｏｒｄ",
    "  Password1 ",
    "voxstrange",
    "VOXSTRANGE",
    "countersign1",
  ])("%p", async (password) => {
    expect(await isCommon(password)).toBe(true);
  });
});

describe("uncommon passwords are accepted", () => {
  test.each([
    "a good password",
    "correct horse battery staple",
    "xK9#mQ2v",
    "dragon8472910",
    "Tr0ub4dor&3",
    "9301 5527 8846",
    "purple-lamp-river",
    "пароль не простой",
  ])("%p", async (password) => {
    expect(await isCommon(password)).toBe(false);
  });
});

describe("passwords that are the person's name or email address are rejected", () => {
  const ada = { email: "ada.lovelace@example.com", name: "Ada Lovelace" };
  test.each([
    ["ada.lovelace@example.com", false],
    ["AdaLovelace1", false],
    ["ada lovelace!", false],
    [" ADA.LOVELACE ", false],
    ["lovelace likes long engines", true],
  ])("%p is good: %p", async (password, isGood) => {
    expect((await passwordFault(password, ada)) === null).toBe(isGood);
  });
});

test("length is counted in characters, from 8 to 128", async () => {
  const anonymous = { email: "", name: "" };
  expect(await passwordFault("xK9#mQ2", anonymous)).toEqual({ code: "too_short", params: { count: 8 } });
  expect(await passwordFault("ab1cdefg".repeat(16), anonymous)).toBeNull();
  expect(await passwordFault(`${"ab1cdefg".repeat(16)}x`, anonymous)).toEqual({
    code: "too_long",
    params: { count: 128 },
  });
  expect(await passwordFault("🦊🐻🐼🐨🐯🦁🐮🐷", anonymous)).toBeNull();
});
