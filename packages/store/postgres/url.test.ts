import { describe, expect, test } from "bun:test";
import { parsePostgresUrl } from "./url.ts";

describe("DATABASE_URL", () => {
  test.each([
    "postgres://user:p%40ss@host:5432/db?sslmode=require",
    "postgresql:///db?host=/run/postgresql",
    "postgres://[::1]:6432/db",
  ])("a URL with one host is given to the driver as it is: %s", (text) => {
    expect(parsePostgresUrl(text)).toMatchObject({ url: text, target: "any" });
  });

  test.each([
    ["postgres://u:p@a:1,b:2/d", "postgres://u:p@a:1/d", ["a:1", "b:2"], "read-write"],
    ["postgres://a,b/d?target_session_attrs=any", "postgres://a/d", ["a:null", "b:null"], "any"],
    [
      "postgres://u@[::1]:1,b/d?sslmode=disable",
      "postgres://u@[::1]:1/d?sslmode=disable",
      ["::1:1", "b:null"],
      "read-write",
    ],
    ["postgres://u@/d?host=a,b&port=7", "postgres://u@a:7/d", ["a:7", "b:7"], "read-write"],
    [
      "postgres:///d?host=/run/a,b&port=7,8",
      "postgres:///d?host=%2Frun%2Fa&port=7",
      ["/run/a:7", "b:8"],
      "read-write",
    ],
    ["postgres://a/d?target_session_attrs=primary", "postgres://a/d", ["a:null"], "primary"],
  ])("%s is divided into a URL of its first host, all hosts and a target", (text, url, hosts, target) => {
    const address = parsePostgresUrl(text);
    expect(address.url).toBe(url);
    expect(address.hosts.map(({ host, port }) => `${host}:${port}`)).toEqual(hosts);
    expect(address.target).toBe(target as typeof address.target);
  });

  test.each([
    ["postgres://u:secret@a,,b/d", "One of its hosts is empty"],
    ["postgres://u:secret@a:1:2,b/d", "One of its hosts is not a name"],
    ["postgres://u:secret@a:99999,b/d", "not a number from 1 to 65535"],
    ["postgres://u:secret@a,b/d?port=1,2,3", "2 hosts and 3 ports"],
    [`postgres://u:secret@${"a,".repeat(20)}b/d`, "16 are the most"],
    ["postgres://u:secret@a,b/d?target_session_attrs=prefer-standby", "read-write, primary or any"],
    ["postgres://u:secret@a/d?target_session_attrs=standby", "read-write, primary or any"],
    ["mysql://u:secret@a/d", "postgres://user:password@host:5432/database"],
  ])("%s is refused without repeating any part of it", (text, why) => {
    const refused = () => parsePostgresUrl(text);
    expect(refused).toThrow(why);
    expect(refused).not.toThrow("secret");
  });
});
