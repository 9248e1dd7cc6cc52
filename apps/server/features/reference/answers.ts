import {
  type OpenApiDocument,
  publicOpenApiDocument,
  writeOpenApi,
} from "@countersign/contract/openapi/openapi";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { referencePage } from "./page.ts";
import { problemIndex, problemPage } from "./problems.ts";

export async function openApi(requestId: string): Promise<Response> {
  json ??= theDocument().then((document) => JSON.stringify(document));
  return answer(await json, "application/json", requestId);
}

/** Just the two calls of applications. */
export function publicOpenApi(requestId: string): Response {
  publicJson ??= JSON.stringify(publicOpenApiDocument());
  return answer(publicJson, "application/json", requestId);
}

/** The API reference: one page generated from the OpenAPI document, with no external resources. */
export async function docs(requestId: string): Promise<Response> {
  page ??= theDocument().then((document) => runInSteps(referencePage(document)));
  return answer(await page, "text/html", requestId);
}

let document: Promise<OpenApiDocument> | undefined;
let json: Promise<string> | undefined;
let publicJson: string | undefined;
let page: Promise<string> | undefined;

function theDocument(): Promise<OpenApiDocument> {
  document ??= runInSteps(writeOpenApi());
  return document;
}

/** Yields to other work: one long uninterrupted task would delay other requests. */
async function runInSteps<T>(work: Generator<void, T>): Promise<T> {
  let step = work.next();
  while (step.done !== true) {
    await yieldToEventLoop();
    step = work.next();
  }
  return step.value;
}

export function docsStyle(requestId: string): Response {
  return answer(style, "text/css", requestId);
}

export function docsScript(requestId: string): Response {
  return answer(script, "text/javascript", requestId);
}

/** The page of a code; null if there is no such code. */
export function docsOfProblem(code: string, requestId: string): Response | null {
  const text = problemPage(code);
  return text === null ? null : answer(text, "text/plain", requestId);
}

export function docsOfProblems(requestId: string): Response {
  return answer(problemIndex(), "text/plain", requestId);
}

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function answer(body: string, type: string, requestId: string): Response {
  return new Response(body, {
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-cache",
      "x-request-id": requestId,
    },
  });
}

/** Finds operations as you type. The page works without it, but then has no search. */
const script = `"use strict";
const label = document.querySelector("label.search");
const input = label.querySelector("input");
const nothing = document.querySelector(".nothing");
const entries = [...document.querySelectorAll("main article")].map((article) => ({
  article,
  link: document.querySelector('nav a[href="#' + article.id + '"]'),
  text: [article.querySelector("h3"), article.querySelector(".address"), article.querySelector("p:not(.address)")]
    .map((part) => (part === null ? "" : part.textContent)).join(" ").toLowerCase() + " " + article.id.toLowerCase(),
}));
const sections = [...document.querySelectorAll("main .group")];
const lists = [...document.querySelectorAll("nav details")];
label.hidden = false;

function search() {
  const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let found = 0;
  for (const { article, link, text } of entries) {
    const matches = words.every((word) => text.includes(word));
    article.hidden = !matches;
    if (link !== null) link.parentElement.hidden = !matches;
    if (matches) found += 1;
  }
  for (const section of sections)
    section.hidden = words.length > 0 && section.querySelector("article:not([hidden])") === null;
  for (const list of lists) {
    list.hidden = list.querySelector("li:not([hidden])") === null;
    if (words.length > 0) list.open = true;
  }
  nothing.hidden = found > 0;
}

input.addEventListener("input", search);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === "Escape" && document.activeElement === input) {
    input.value = "";
    search();
  }
});
// A link to something that the search hides must still work.
window.addEventListener("hashchange", () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target === null || !target.hidden) return;
  input.value = "";
  search();
  target.scrollIntoView();
});
`;

/** The style of the reference: light and dark, from phone width up. */
const style = `:root {
  color-scheme: light dark;
  --ground: light-dark(#ffffff, #14171a);
  --raised: light-dark(#f4f6f8, #1d2126);
  --line: light-dark(#dfe4e9, #313840);
  --text: light-dark(#1c2126, #e4e8ec);
  --quiet: light-dark(#57626d, #9ba7b3);
  --link: light-dark(#0b5cad, #7cb8f5);
  --get: light-dark(#0a6a4a, #5fd0a5);
  --post: light-dark(#0b5cad, #7cb8f5);
  --change: light-dark(#8a5300, #eab765);
  --delete: light-dark(#b3261e, #ff9d94);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif;
  display: grid; grid-template-columns: minmax(0, 1fr);
}
header, nav, main { padding: 1rem; min-width: 0; }
header { border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 1.6rem; }
h1 span { color: var(--quiet); font-weight: 400; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.4rem; }
h3 { margin: 0; font-size: 1.1rem; }
h4 { margin: 1.25rem 0 .35rem; font-size: .95rem; }
p, ul { margin: .5rem 0; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, input:focus-visible, pre:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--ground); padding: .5rem; z-index: 1; }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: .75rem; overflow-x: auto; }
small, em, .type { color: var(--quiet); font-style: normal; }
small, em { font-size: .8rem; font-weight: 400; }
article { border-top: 1px solid var(--line); padding: 1.5rem 0; }
.address { overflow-wrap: anywhere; }
.anchor { text-decoration: none; opacity: .5; }
.anchor:hover, .anchor:focus { opacity: 1; }
.method { font: 700 .75rem/1 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; text-transform: uppercase; }
.get { color: var(--get); } .post { color: var(--post); }
.patch, .put { color: var(--change); } .delete { color: var(--delete); }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
th, td { text-align: left; vertical-align: top; padding: .4rem .5rem .4rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
th { width: 38%; font-weight: 400; }
td p { margin: .15rem 0; }
td details table { border-left: 2px solid var(--line); }
td details th { padding-left: .5rem; }
nav ul { list-style: none; padding: 0; }
nav li a { display: block; padding: .3rem 0; text-decoration: none; color: var(--text); font-size: .9rem; }
nav li a:has(.method) { display: grid; grid-template-columns: 3.8rem 1fr; align-items: baseline; }
nav li a:hover { color: var(--link); text-decoration: underline; }
nav summary { cursor: pointer; font-weight: 600; padding: .35rem 0; }
.search input {
  display: block; width: 100%; margin: .25rem 0 .75rem; padding: .5rem .6rem; font: inherit;
  color: inherit; background: var(--raised); border: 1px solid var(--line); border-radius: 6px;
}
[hidden] { display: none !important; }
@media (min-width: 60rem) {
  body { grid-template-columns: 20rem minmax(0, 56rem); column-gap: 2rem; }
  header { grid-column: 1 / -1; padding-inline: 2rem; }
  nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding-left: 2rem; }
  th { width: 30%; }
}
@media (max-width: 59.99rem) {
  nav { border-bottom: 1px solid var(--line); max-height: 60vh; overflow-y: auto; }
}
@media print { nav { display: none; } }
`;
