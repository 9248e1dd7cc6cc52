import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fastestCpuMs } from "../../../tests/support/fastest.ts";
import { forAll } from "../../../tests/support/for-all.ts";
import { listed } from "../../../tests/support/listed.ts";
import { maxSvgKib, sanitizeSvgLogo } from "./svg-logo.ts";

const namespaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
const html = 'xmlns:h="http://www.w3.org/1999/xhtml"';
const rect = '<rect width="1" height="1"/>';

describe("SVG logos", () => {
  test.each(
    Object.entries({
      "a path": '<path d="M0 0L1.5-2e3Z" fill="#f00"/>',
      "a group with a transformation": '<g transform="translate(1, 2) rotate(45)"><circle r="1"/></g>',
      text: '<text x="1" font-family="Arial"> A &#38; B <tspan dy="1">C</tspan></text>',
      "colour functions": '<rect fill="rgb(1, 2, 3)" stroke="hsl(120 50% 50% / 0.5)"/>',
      "a title and a description": `<title>A &#60;b&#62;</title><desc>B</desc>${rect}`,
      "a gradient":
        '<defs><linearGradient id="a"><stop offset="50%" stop-color="red"/></linearGradient><radialGradient id="b" href="#a"/></defs><rect fill="url(#b) #fff"/>',
      "a clip path and a mask":
        '<clipPath id="c"><rect/></clipPath><mask id="m"><rect/></mask><g clip-path="url(#c)" mask="url(#m)"><rect/></g>',
      "a symbol that is used":
        '<symbol id="s" viewBox="0 0 1 1"><rect/></symbol><use x="1" href="#s"/><use x="2" href="#s"/>',
      "a style attribute": '<rect style="fill:url(#a);mix-blend-mode:multiply;stroke-width:2px"/>',
      "an ID in another script": '<rect id="Größe_1"/>',
    }),
  )("an SVG keeps %s as it is", (_name, content) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">${content}</svg>`;
    expect(sanitize(svg)).toEqual({ ok: true, svg });
  });

  const a = '<rect id="a"/>';
  const red = '<rect style="fill:red"/>';
  test.each<[name: string, before: string, after: string]>([
    ["old links become new ones", `${a}<use xlink:href="#a"/>`, `${a}<use href="#a"/>`],
    ["a new link precedes an old one", `${a}<use xlink:href="#b" href="#a"/>`, `${a}<use href="#a"/>`],
    ["a new link follows an old one", `${a}<use href="#a" xlink:href="#b"/>`, `${a}<use href="#a"/>`],
    ["comments are dropped", `<!-- x -->${rect}`, rect],
    ["text outside of text elements is dropped", `x${rect}y`, rect],
    ["links and switches leave their content", `<a href="https://a.b"><switch>${rect}</switch></a>`, rect],
    ["unknown elements are dropped with their content", `<metadata>${rect}</metadata>${rect}`, rect],
    ["prefixed elements are dropped", `<sodipodi:x xmlns:sodipodi="urn:x">${rect}</sodipodi:x>${rect}`, rect],
    ["unknown attributes are dropped", '<rect class="a" data-x="1" aria-label="b" x="1"/>', '<rect x="1"/>'],
    ["unknown properties are dropped", '<rect style="-inkscape-x:1; FILL : red ;;cursor:help"/>', red],
    ["unknown properties with local references are dropped", '<rect style="fill:red;marker:url(#a)"/>', red],
    ["a value with an open quote is dropped", '<rect style="font-family:\'a;fill:red"/>', red],
    ["elements of other namespaces are dropped", `<rect xmlns="urn:x"/><rect xmlns=""/>${rect}`, rect],
    ["a carriage return becomes a space", "<text>a&#13;b</text>", "<text>a b</text>"],
    ["a repeated ID is dropped", '<rect id="a"/><circle id="a"/>', '<rect id="a"/><circle/>'],
    ["text around a dropped element becomes one text", "<text>a<b/>b<!-- -->c</text>", "<text>abc</text>"],
    ["what is inside of a use is dropped", `${a}<use href="#a">${rect}</use>`, `${a}<use href="#a"/>`],
    ["an empty style element is dropped", `<style> </style>${rect}`, rect],
    ["characters are written as such", "<text>&#x41;&amp;&lt;</text>", "<text>A&#38;&#60;</text>"],
    ["white space in attributes becomes a space", '<path d="M0&#10;0&#x9;L1\n1"/>', '<path d="M0 0 L1 1"/>'],
  ])("%s", (_name, before, after) => expect(contentOf(before)).toBe(after));

  test("an SVG may have a prefix, a byte order mark, an XML declaration, or no namespace", () => {
    const clean = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">${rect}</svg>`;
    for (const text of [
      `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- x -->\n${clean}\n`,
      `\ufeff${clean}`,
      `<s:svg xmlns:s="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><s:rect width="1" height="1"/></s:svg>`,
      `<svg viewBox="0 0 1 1">${rect}</svg>`,
    ])
      expect(sanitize(text)).toEqual({ ok: true, svg: clean });
  });

  test.each<[attributes: string, written: string]>([
    ['viewBox="0 0 1 1"', 'viewBox="0 0 1 1"'],
    ['viewBox="-1,-2.5 1e2 .5"', 'viewBox="-1,-2.5 1e2 .5"'],
    ['width="10" height="20"', 'width="10" height="20" viewBox="0 0 10 20"'],
    ['width="10px" height="1in"', 'width="10px" height="1in" viewBox="0 0 10 96"'],
    ['width="100%" height="100%" viewBox="0 0 1 1"', 'viewBox="0 0 1 1"'],
    ['width="1e9" height="5" viewBox="0 0 1 1"', 'height="5" viewBox="0 0 1 1"'],
  ])("an SVG with %s has a size", (attributes, written) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${written}>${rect}</svg>`;
    expect(sanitize(`<svg ${namespaces} ${attributes}>${rect}</svg>`)).toEqual({ ok: true, svg });
  });

  const sizes = ["100%", "0", "-1", "NaN", "Infinity", "0x10", "10em"].map(
    (width) => `width="${width}" height="10"`,
  );
  const boxes = ["0 0 0 1", "0 0 1", "0 0 1 1 1", "0 0 1e99 1", `0 0 1 ${"1".repeat(60_000)}`];
  test.each([
    "",
    'width="10"',
    'viewBox="a b c d" width="1" height="1"',
    ...sizes,
    ...boxes.map((box) => `viewBox="${box}"`),
  ])("an SVG without a valid size is refused, as with the attributes %j", (attributes) => {
    expect(codeOf(`<svg ${namespaces} ${attributes}>${rect}</svg>`)).toBe("logo_without_size");
  });
});

/** A line for each way in, with its variants. */
const dangerous = `
  <script>x()</script><script href="https://evil.x/x.js"/><script xlink:href="data:text/javascript,x()"/>
  <s:script xmlns:s="http://www.w3.org/2000/svg">x()</s:script><h:script>x()</h:script><ScRiPt>x()</ScRiPt>
  <g><defs><script>x()</script></defs></g><title><script>x()</script></title><use href="#a"><script/></use>
  <desc><h:body onload="x()"><script>x()</script></h:body></desc><switch><script>x()</script></switch>
  <a href="javascript:x()"><script>x()</script><text>x</text></a>
  <rect onload="x()"/><rect ONLOAD="x()"/><rect oNcLiCk="x()"/><rect onbegin="x()" onend="x()" onrepeat="x()"/>
  <rect onmouseover="x()" onfocusin="x()"/><rect s:onload="x()" xmlns:s="http://www.w3.org/2000/svg"/>
  <rect ev:event="load" ev:handler="#x" xmlns:ev="http://www.w3.org/2001/xml-events"/>
  <handler type="text/javascript">x()</handler><listener event="load" handler="#x"/>
  <a xlink:href="javascript:x()"><text>javascript</text></a>
  <a href="&#106;avascript&#58;x()"><rect/></a><a href="java&#10;script:x()"><rect/></a>
  <a><animate attributeName="href" values="javascript:x()"/><rect/></a>
  <a><set attributeName="xlink:href" to="javascript:x()"/></a><rect><set attributeName="onclick" to="x()"/></rect>
  <animate xlink:href="#x" attributeName="href" to="javascript:x()"/>
  <animateMotion/><animateTransform onbegin="x()"/><animateColor/><discard/>
  <foreignObject><h:iframe src="javascript:x()"/></foreignObject>
  <foreignobject><img src='x' onerror='x()'/></foreignobject><h:img src="x" onerror="x()"/>
  <script xmlns="">x()</script><iframe xmlns="" src="https://evil.x"/>
  <image href="data:image/svg+xml;base64,PHN2Zy8+"/><image xlink:href="https://evil.x/x.png"/>
  <use href="https://evil.x/x.svg#a"/><use xlink:href="//evil.x/x.svg#a"/><use href="x.svg#a"/>
  <use href="data:image/svg+xml;base64,PHN2Zy8+#a"/><use href="https://evil.x#a" xlink:href="#a"/>
  <use k:href="https://evil.x#a" xmlns:k="http://www.w3.org/1999/xlink"/>
  <linearGradient href="https://evil.x/x.svg#a"/><g xml:base="https://evil.x/"><rect/></g>
  <rect fill="url(https://evil.x/x.svg#a)"/><rect fill="url('https://evil.x/x.svg#a')"/>
  <rect fill="url(//evil.x)"/><rect fill="url(evil.svg#a)"/><rect fill="URL(evil.svg)"/>
  <rect fill="u\\72l(evil.svg)"/><rect fill="url/**/(evil.svg)"/>
  <rect fill="url(#a) url(evil.svg)"/><rect fill="uurl(#a)rl(evil.svg)"/><rect fill="rgb url(#a)(evil.svg)"/>
  <rect x="url(evil.svg)" transform="url(evil.svg)"/><rect font-family="url(#a)"/>
  <filter id="f"><feImage href="https://evil.x"/></filter><rect filter="url(https://evil.x#f)"/>
  <marker/><pattern/><cursor href="https://evil.x"/><rect marker-start="url(evil.svg)" cursor="url(evil.cur)"/>
  <font-face><font-face-src><font-face-uri href="https://evil.x"/></font-face-src></font-face>
  <rect style="fill:url(https://evil.x)"/><rect style="background:url(https://evil.x);mask:url(evil.png)"/>
  <rect style="mask:image-set('evil.png' 1x);fill:src('evil.png')"/>
  <rect style="width:expression(x());behavior:url(evil.htc);-moz-binding:url(evil.xml)"/>
  <rect style="@import 'evil.css';fill:@import"/><rect style="fill:\\75rl(evil.svg);f\\69ll:url(evil.svg)"/>
  <rect style="font-family:'a;fill:url(evil.svg)';stroke:'"/><rect style="--a:url(evil.svg);fill:var(--a)"/>
  <rect style="fill:red}*{background:url(evil.svg)"/>
  <!--><img src=x onerror=x()>-->
  <text>&lt;script&gt;x()&lt;/script&gt;</text><title>&lt;/title&gt;&lt;script&gt;x()&lt;/script&gt;</title>
  <rect id="&quot;&gt;&lt;script&gt;x()&lt;/script&gt;" font-family="&quot;&gt;&lt;script&gt;"/>
  <desc><style xmlns='urn:x'><title>&lt;/style&gt;&lt;img src=x onerror=x()&gt;</title></style></desc>
  <math xmlns="http://www.w3.org/1998/Math/MathML"><annotation-xml encoding="text/html"><x/></annotation-xml></math>
  <iframe src="x"/><embed src="x"/><object data="x"/><audio src="x"/><video src="x"/><canvas/>
  <h:link rel="stylesheet" href="https://evil.x"/>
  <x:stylesheet xmlns:x="http://www.w3.org/1999/XSL/Transform"><x:template match="/"/></x:stylesheet>
  <rect constructor="x" __proto__="y" toString="z"/><constructor/><__proto__/>
`;

describe("dangerous content", () => {
  test.each(dangerous.trim().split(/\n +/))("nothing dangerous is left of %s", (content) => {
    const result = contentOf(`<rect id="a"/>${content}`);
    expectHarmless(result);
    expect(contentOf(result)).toBe(result);
  });
});

describe("refused files", () => {
  const billionLaughs = `<!DOCTYPE svg [<!ENTITY a "ha">${Array.from("bcdefghij", (name, index) => `<!ENTITY ${name} "${`&${"abcdefghij"[index]};`.repeat(10)}">`).join("")}]>`;
  const uses = (count: number, target: string) => `<use href="#${target}"/>`.repeat(count);

  const doubled = (level: number) => `<g id="u${level + 1}">${uses(2, `u${level}`)}</g>`;
  /** Each refers to the one before it, and the first draws something. */
  const masks = (count: number) => (level: number) => {
    const inside = level === 0 ? rect : `<rect style="mask:url(#m${level - 1})"/>`.repeat(count);
    return `<mask id="m${level}">${inside}</mask>`;
  };
  const clip = (id: string, by: string) => `<clipPath id="${id}" clip-path="url(#${by})">${rect}</clipPath>`;
  const gradient = (id: string, of: string) => `<linearGradient id="${id}" href="#${of}"/>`;
  const forwards = (level: number) => `<mask id="m${level}"><rect mask="url(#m${level + 1})"/></mask>`;
  const backwards = (level: number) => `<mask id="m${level + 1}"><rect mask="url(#m${level})"/></mask>`;

  describe.each(
    Object.entries({
      logo_not_svg: {
        "an empty file": "",
        "text that is not XML": "hello",
        HTML: "<!doctype html><html><body></body></html>",
        "another root": `<html xmlns="http://www.w3.org/1999/xhtml">${svg(rect)}</html>`,
        "a root of another namespace": '<svg xmlns="urn:x" viewBox="0 0 1 1"><rect/></svg>',
        "a root in upper case": '<SVG xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect/></SVG>',
        "two roots": svg(rect) + svg(rect),
        "an element that is not closed": svg("<g>"),
        "an attribute without quotes": svg("<rect x=1 />"),
        "a repeated attribute through prefixes": svg('<use a:x="1" b:x="2" xmlns:a="u" xmlns:b="u"/>'),
        "a prefix without a namespace": svg("<a:script>x()</a:script>"),
        "a null byte": svg('<scr\0ipt/><rect on\0load="x"/>'),
        "an entity of HTML": svg("<text>&nbsp;</text>"),
        "an entity named like a method": svg("<text>&toString;&__proto__;</text>"),
        "UTF-7": `<?xml version="1.0" encoding="UTF-7"?>${svg("<text>+ADw-script+AD4-</text>")}`,
        "XML 1.1": `<?xml version="1.1"?>${svg(rect)}`,
        "an entity of an external DTD": `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "https://evil.x/svg11.dtd">${svg("<text>&x;</text>")}`,
      },
      logo_unsupported_markup: {
        "a billion laughs": `${billionLaughs}${svg("<text>&j;</text>")}`,
        "an external entity": `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg("<text>&x;</text>")}`,
        "an entity that adds attributes": `<!DOCTYPE svg [<!ATTLIST svg onload CDATA "x()">]>${svg(rect)}`,
        "a style sheet by instruction": `<?xml-stylesheet href="https://evil.x/x.xsl" type="text/xsl"?>${svg(rect)}`,
        PHP: svg(`<?php system("id"); ?>${rect}`),
        CDATA: svg("<text><![CDATA[<script>x()</script>]]></text>"),
        "CDATA in a dropped element": svg("<script><![CDATA[x()]]></script>"),
        "a style sheet": svg(`<style>@import "https://evil.x";</style>${rect}`),
        "a style sheet in CDATA": svg(`<style><![CDATA[*{fill:url(https://evil.x)}]]></style>${rect}`),
        "a style sheet in a group": svg(`<defs><style>.a{fill:red}</style></defs>${rect}`),
      },
      logo_empty: {
        "nothing to draw": svg("<g/>"),
        "only an embedded photo": svg('<image href="data:image/png;base64,iVBORw0KGgo="/>'),
        "only a script": svg("<script>x()</script>"),
      },
      logo_too_complex: {
        "33 levels": svg("<g>".repeat(31) + rect + "</g>".repeat(31)).replace(rect, `<g>${rect}</g>`),
        "levels of dropped elements": svg("<x>".repeat(20_000) + "</x>".repeat(10)),
        "5,001 elements": svg("<g/>".repeat(5_000)),
        "257 attributes": svg(`<rect ${levels(257, (at) => `a${at}="" `)}/>`),
        "257 namespaces": svg(`<rect ${levels(257, (at) => `xmlns:a${at}="u" `)}/>`),
        "a long attribute": svg(`<path d="${"1 ".repeat(32_769)}"/>`),
        "a use of itself": svg(`<use id="u" href="#u"/>${rect}`),
        "a use of what contains it": svg(`<g id="u">${rect}<use href="#u"/></g>`),
        "a use of a use": svg(`<rect id="a"/><g id="b">${uses(2, "a")}</g>${uses(2, "b")}`),
        "uses that double at every level": svg(`<rect id="u0"/>${levels(30, doubled)}`),
        "1,001 uses": svg(`<rect id="a"/>${uses(1_001, "a")}`),
        "1,000 uses of a long path": svg(`<path id="a" d="${"1 ".repeat(5_000)}"/>${uses(1_000, "a")}`),
        "masks that double at every level": svg(`${levels(31, masks(2))}<rect mask="url(#m30)"/>`),
        "few masks that multiply by a hundred": svg(levels(6, masks(100))),
        "a mask of itself": svg(`<mask id="m"><rect mask="url(#m)"/></mask>`),
        "clip paths in a circle": svg(clip("a", "b") + clip("b", "a")),
        "gradients in a circle": svg(gradient("a", "b") + gradient("b", "a") + rect),
        "a chain of 1,000 masks": svg(levels(1_000, forwards)),
        "a chain of 1,000 masks in reverse": svg(levels(1_000, backwards)),
      },
      logo_too_large: {
        "more than 128 KiB": svg(`${rect}${" ".repeat(128 * 1_024)}`),
        "more than 128 KiB when it is written": svg(`<text>${'"'.repeat(100_000)}</text>`),
      },
    }),
  )("%s", (code, texts) => {
    test.each(Object.entries<string>(texts))("an SVG is refused because of %s", (_name, text) =>
      expect(codeOf(text)).toBe(code),
    );
  });

  test("an SVG is refused in another encoding, in broken or overlong UTF-8, or compressed", () => {
    const little = Buffer.from(svg(rect), "utf16le");
    const big = Buffer.from(little).swap16();
    const marked = Buffer.concat([Buffer.from([0xfe, 0xff]), big]);
    const broken = ["\xc0\xbc", "\xed\xa0\x80", "\xff", "\xe2\x82"].map((bytes) =>
      Buffer.from(svg(`<text>${bytes}</text>`), "latin1"),
    );
    for (const bytes of [little, big, marked, ...broken, Bun.gzipSync(Buffer.from(svg(rect)))])
      expect(sanitizeSvgLogo(bytes)).toEqual({ ok: false, fault: { code: "logo_not_svg" } });
  });

  test("a DOCTYPE that only names a DTD is dropped", () => {
    const declared = `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">`;
    expect(sanitize(`<?xml version="1.0"?>\n${declared}\n${svg(rect)}`)).toEqual(sanitize(svg(rect)));
  });

  test("the refusal of an SVG names the bound or the markup that was the reason", () => {
    const tooLarge = { code: "logo_too_large", maxKib: maxSvgKib } as const;
    expect(sanitizeSvgLogo(new Uint8Array(128 * 1_024 + 1))).toEqual({ ok: false, fault: tooLarge });
    for (const [text, markup] of [
      [`<!DOCTYPE svg [<!ENTITY x "y">]>${svg(rect)}`, "<!DOCTYPE>"],
      [`<?xml-stylesheet?>${svg(rect)}`, "<?xml-stylesheet?>"],
      [svg("<text><![CDATA[a]]></text>"), "<![CDATA[ ]]>"],
      [svg("<style>a</style>"), "<style>"],
      [svg("<style><![CDATA[a]]></style>"), "<style>"],
    ] as const)
      expect(sanitize(text)).toEqual({ ok: false, fault: { code: "logo_unsupported_markup", markup } });
  });

  test.each(Object.entries({ forwards, backwards }))(
    "an SVG with a chain of over eight references, %s, is refused",
    (_name, mask) => {
      expect(codeOf(svg(levels(9, mask)))).toBe("ok");
      expect(codeOf(svg(levels(10, mask)))).toBe("logo_too_complex");
    },
  );

  test("an SVG at the bounds themselves is accepted", () => {
    const nested = "<g>".repeat(30) + rect + "</g>".repeat(30);
    const long = `<path d="${"1 ".repeat(32_768)}"/>`;
    for (const content of [nested, rect + "<g/>".repeat(4_998), long, `<rect id="a"/>${uses(1_000, "a")}`])
      expect(codeOf(svg(content))).toBe("ok");
  });
});

describe("generated files", () => {
  const value = fc.oneof(
    fc.constantFrom(
      "0 0 1 1",
      "url(#b) red",
      ...listed("#a url(#a) url(x) javascript:x() fill:url(#a);x:y a 1"),
    ),
    fc.string({ unit: fc.constantFrom(..."url(#a);:'\"\\/*@ -%&<>\n\t\r") }),
  );
  const attribute = fc.tuple(
    fc.constantFrom(...listed("id href xlink:href style fill mask onload x viewBox width font-family")),
    value,
  );
  const text = fc.oneof(fc.string().map(escaped), fc.constant("<!-- c -->"));
  const { element } = fc.letrec<{ element: string; content: string }>((tie) => ({
    content: fc.oneof({ depthSize: "small" }, text, tie("element")),
    element: fc
      .tuple(
        fc.constantFrom(...listed("svg g a rect text title use mask linearGradient script x")),
        fc.uniqueArray(attribute, { maxLength: 4, selector: ([name]) => name }),
        fc.array(tie("content"), { maxLength: 4 }),
      )
      .map(([name, attributes, content]) => {
        const written = attributes.map(([key, text]) => ` ${key}="${escaped(text)}"`).join("");
        return `<${name}${written}>${content.join("")}</${name}>`;
      }),
  }));

  test("an SVG is refused, or sanitized to what a second pass returns unchanged", () => {
    let accepted = 0;
    forAll(5_000, [fc.array(element, { maxLength: 5 })], (elements) => {
      const first = sanitize(svg(rect + elements.join("")));
      if (!first.ok) return;
      accepted++;
      expect(sanitize(first.svg)).toEqual(first);
      expectHarmless(first.svg.replace(/>[^<]*</g, "><"));
    });
    expect(accepted).toBeGreaterThan(1_000);
  });

  test("the sanitizer of SVG never throws, whatever the bytes are", () => {
    const text = fc.string({ unit: fc.constantFrom(..."<>/!?[]-&;='\"svgxml: \n") });
    forAll(5_000, [fc.uint8Array(), text], (bytes, text) => {
      sanitizeSvgLogo(bytes);
      sanitize(text);
      sanitize(svg(text));
    });
  });
});

/** About ten times what any of them takes: quadratic time would be seconds. */
const mostCpuMs = 250;

describe("hostile files", () => {
  const long = 128 * 1_024 - 400;
  const half = 64 * 1_024;
  const fill = (text: string, length = long) => text.repeat(Math.floor(length / text.length));

  test.each(
    Object.entries({
      "open elements": svg(fill("<g>")),
      "less-than signs": fill("<"),
      attributes: svg(`<g ${levels(12_000, (at) => `a${at}="" `)}/>`),
      namespaces: svg(`<g ${levels(8_000, (at) => `xmlns:a${at}="u" `)}/>`),
      "a long name": svg(`<${fill("a")}/>`),
      "references to characters": svg(`<text>${fill("&#65;")}</text>`),
      "an endless entity": svg(`<text>&${fill("a")}</text>`),
      comments: svg(fill("<!---->")),
      "open CDATA": svg(`<![CDATA[${fill("]")}`),
      "an open DOCTYPE": `<!DOCTYPE svg [${fill("<")}`,
      "letters in an attribute": svg(`<rect fill="${fill("a", half)}"/>`),
      "letters before a bracket": svg(`<rect fill="${fill("a", half - 1)}("/>`),
      brackets: svg(`<rect fill="${fill("rgb(", half)}"/>`),
      "open addresses": svg(`<rect fill="${fill("url(", half)}"/>`),
      "addresses with long IDs": svg(`<rect fill="${fill(`url(#${"a".repeat(128)}`, half)}"/>`),
      "addresses with spaces": svg(`<rect fill="url(${fill(" ", half - 10)}"/>`),
      "addresses with spaces behind": svg(`<rect fill="url(#a${fill(" ", half - 10)}"/>`),
      quotes: svg(`<rect fill='${fill('"', half)}'/>`),
      semicolons: svg(`<rect style="${fill(";", half)}"/>`),
      declarations: svg(`<rect style="${fill("fill:red;", half)}"/>`),
      "digits as a size": `<svg width="${fill("1", half)}" height="${fill("1", half - 500)}"/>`,
      "a size with spaces": `<svg width="1${fill(" ", half - 10)}x" height="1"/>`,
      "a viewBox with spaces": `<svg viewBox="1${fill(" ", half - 10)}x"/>`,
      "IDs and references": svg(levels(2_400, (at) => `<g id="i${at}" mask="url(#i${at + 1})"/>`)),
      "references to one element": svg(`<g id="a"/>${fill('<g mask="url(#a)"/>', 90_000)}`),
      "text between dropped elements": svg(`<text>${fill("a<b/>", 24_000)}</text>`),
    }),
  )("a hostile SVG of %s takes time in proportion to its length", (_name, text) => {
    const file = Buffer.from(text);
    expect(file.length).toBeLessThanOrEqual(128 * 1_024);
    expect(fastestCpuMs(() => void sanitizeSvgLogo(file), 25)).toBeLessThan(mostCpuMs);
  });
});

function sanitize(text: string) {
  return sanitizeSvgLogo(Buffer.from(text));
}

function levels(count: number, tag: (level: number) => string): string {
  return Array.from({ length: count }, (_, level) => tag(level)).join("");
}

function codeOf(text: string): string {
  const sanitized = sanitize(text);
  return sanitized.ok ? "ok" : sanitized.fault.code;
}

function svg(content: string, more = ""): string {
  return `<svg ${namespaces} ${more} viewBox="0 0 1 1">${content}</svg>`;
}

/** What is left of the content of an image. */
function contentOf(content: string): string {
  const sanitized = sanitize(svg(content, `${html} onload="x()"`));
  if (!sanitized.ok) throw new Error(sanitized.fault.code);
  const start = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">';
  expect(sanitized.svg).toStartWith(start);
  return sanitized.svg.slice(start.length, -"</svg>".length);
}

/** Looks at the text alone, so that it cannot share a mistake with the sanitizer. */
function expectHarmless(text: string): void {
  const tags = text.match(/<[^>]*>/g) ?? [];
  const names = tags.map((tag) => /^<\/?([^\s/>]*)/.exec(tag)?.[1] ?? "");
  const harmless = "svg g path rect circle text tspan title desc use defs mask clipPath linearGradient";
  for (const name of names) expect(listed(harmless)).toContain(name);
  for (const tag of tags) {
    expect(tag).not.toMatch(/\bon\w+=/i);
    const withoutNamespace = tag.replace('xmlns="http://www.w3.org/2000/svg"', "");
    expect(withoutNamespace).not.toMatch(/javascript:|data:|https?:|\/\/|evil|@|\\|xlink|xml/i);
    expect(tag).not.toMatch(/url\((?!\s*(&#3[49];)?#)/i);
    expect(tag).not.toMatch(/href="(?!#)/i);
  }
  expect(text.replace(/<[^>]*>/g, "")).not.toMatch(/[<>]/);
}

function escaped(text: string): string {
  return text.replace(/[&<>"'\n\t\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
