import { afterEach, describe, expect, test } from "bun:test";
import type { languages } from "./languages.ts";
import de from "./refusals/de.json";
import en from "./refusals/en.json";
import es from "./refusals/es.json";
import { find, keepSentences, type Sentences, said, saidBeside, saidOf } from "./refusals.ts";
import { serverSentences } from "./server-sentences.ts";

const files: Record<keyof typeof languages, Sentences> = { en, de, es };
const spoken = serverSentences();
/** Stands where the server would put a number, a name or an address. */
const something = "‹›";

afterEach(() => keepSentences("en", {}));

describe("what the server refuses with", () => {
  test("is found in its sources", () => {
    const sentences = spoken.map(({ sentence }) => sentence);
    // One of each way in which a refusal is made there.
    expect(sentences).toContain("should be in the future");
    expect(sentences).toContain("The password is not right.");
    expect(sentences).toContain("There is no such license, or you cannot see it.");
    expect(sentences).toContain("should have at least {{0}} elements");
    expect(sentences).toContain('slug "{{0}}" is taken. Choose another.');
    expect(sentences).toContain("That was tried too often. Try again in {{0}} minutes.");
    expect(sentences).toContain("email {{0}} belongs to a member already.");
    // And why something failed that was done by itself: an attempt to deliver, an import, a letter.
    expect(sentences).toContain("There was no answer within {{0}} seconds.");
    expect(sentences).toContain("The request failed: {{0}}");
    expect(sentences).toContain("The receiver wants no more events, and the endpoint was disabled.");
    expect(sentences).toContain("The host name could not be looked up.");
    expect(sentences).toContain("url should name a host.");
    expect(sentences).toContain(
      "Row {{0}}: {{1}} It changed while the import ran, so everything was taken back.",
    );
    expect(sentences).toContain("The mail server took too long.");
    expect(sentences).toContain("Invalid login: {{0}}");
    expect(sentences.length).toBeGreaterThan(200);
  });

  test.each(["de", "es"] as const)("is said in %s, every sentence of it", (language) => {
    keepSentences(language, files[language]);
    const untold = spoken.filter(({ sentence }) => {
      const found = find(sentence.replace(/\{\{\d\}\}/g, something));
      // What falls into a gap is shown as it came: English words must not.
      return found === null || found.gaps.some((text) => /[a-z]{2}/i.test(text));
    });
    expect(untold.map(({ file, sentence }) => `${file}: ${sentence}`)).toEqual([]);
  });

  test.each(["en", "de", "es"] as const)(
    "has no words in %s for what it does not say any more",
    (language) => {
      const stale = Object.keys(files[language]).filter((sentence) => {
        const filled = sentence.replace(/\{\{\d\}\}/g, something);
        return !spoken.some(({ sentence: one }) => {
          keepSentences("en", { [one]: "" });
          return find(filled) !== null;
        });
      });
      expect(stale).toEqual([]);
    },
  );

  test.each(["en", "de", "es"] as const)(
    "leaves no gap in %s that the English sentence has not",
    (language) => {
      for (const [sentence, text] of Object.entries(files[language]))
        for (const gap of gapsOf(text))
          expect({ sentence, gaps: gapsOf(sentence) }).toEqual({
            sentence,
            gaps: expect.arrayContaining([gap]),
          });
    },
  );
});

describe("a refusal", () => {
  test("beside its field does not name it", () => {
    const message = "customer_email should be an e-mail address, such as ada@example.com.";
    expect(saidBeside("customer_email", message)).toBe(
      "Should be an e-mail address, such as ada@example.com.",
    );
    keepSentences("de", de);
    expect(saidBeside("customer_email", message)).toBe(
      "Sollte eine E-Mail-Adresse sein, etwa ada@example.com.",
    );
  });

  test("away from its field names it", () => {
    const message = "expires_at should be in the future.";
    expect(saidOf("expires_at", message)).toBe(message);
    keepSentences("de", de);
    expect(saidOf("expires_at", message)).toBe("expires_at: Sollte in der Zukunft liegen.");
    expect(saidOf("slug", 'slug "acme" is taken. Choose another.')).toBe(
      "„acme“ ist vergeben. Wähle etwas anderes.",
    );
  });

  test("keeps what the server knew", () => {
    keepSentences("es", es);
    expect(said("The customer has 3 licenses. Delete them or give them to somebody else first.")).toBe(
      "El cliente tiene 3 licencias. Elimínalas o dáselas antes a otra persona.",
    );
  });

  test("says a time as people read it", () => {
    keepSentences("de", de);
    const message =
      "cidr 192.0.2.0/24 is on this list already, until 2026-11-20T08:00:00.000Z. Change block 7 instead.";
    expect(saidBeside("cidr", message)).toContain(
      "192.0.2.0/24 steht schon auf dieser Liste, bis 20. November 2026 um ",
    );
  });

  test("says a large number as people write it", () => {
    keepSentences("de", de);
    expect(saidOf("max_ips", "max_ips should be a whole number from 1 to 1,000,000.")).toBe(
      "max_ips: Sollte eine ganze Zahl von 1 bis 1.000.000 sein.",
    );
  });

  test("leaves what a mail server or the system said as it is, in a sentence of the reader's", () => {
    keepSentences("de", de);
    expect(said("Invalid login: 535 5.7.8 Authentication failed")).toBe(
      "Die Anmeldung beim Mailserver ist fehlgeschlagen. Er sagt: 535 5.7.8 Authentication failed.",
    );
    expect(said("The request failed: certificate has expired (CERT_HAS_EXPIRED)")).toBe(
      "Die Anfrage ist fehlgeschlagen: certificate has expired (CERT_HAS_EXPIRED).",
    );
    expect(said("connect ECONNREFUSED 127.0.0.1:25")).toBe("connect ECONNREFUSED 127.0.0.1:25");
  });

  test("within another is said in the same language", () => {
    keepSentences("de", de);
    expect(
      said(
        "Row 7: expires_at should be in the future. It changed while the import ran, so everything was taken back.",
      ),
    ).toBe(
      "Zeile 7: expires_at: Sollte in der Zukunft liegen. Das hat sich geändert, während der Import lief, deshalb wurde alles zurückgenommen.",
    );
  });

  test("of an address reads well beside its field and in the log of attempts", () => {
    const message = "url should name a host.";
    keepSentences("en", en);
    expect(said(message)).toBe("The address should name a host.");
    expect(saidBeside("url", message)).toBe("The address should name a host.");
    keepSentences("es", es);
    expect(saidBeside("url", message)).toBe("La URL debería nombrar un host.");
  });

  test("is taken for the sentence of which the most is written out", () => {
    keepSentences("de", de);
    expect(saidBeside("a", "a should have at least 3 characters.")).toBe(
      "Sollte mindestens 3 Zeichen haben.",
    );
    expect(saidBeside("a", 'a should be one of "x", "y".')).toBe('Sollte eines davon sein: "x", "y".');
  });

  test("that nobody has translated is said in English, and an address at its beginning stays as it is", () => {
    keepSentences("de", de);
    expect(said("A sentence from a later release.")).toBe("A sentence from a later release.");
    keepSentences("en", {});
    expect(saidBeside("email", "email ada@example.com is customer 7 already.")).toBe(
      "ada@example.com is customer 7 already.",
    );
  });
});

function gapsOf(text: string): string[] {
  return [...text.matchAll(/\{\{(\d)\}\}/g)].map(([, place]) => place ?? "");
}
