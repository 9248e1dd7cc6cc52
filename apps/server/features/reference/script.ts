/** Finds operations as you type. The page works without it, but then has no search. */
export const script = `"use strict";
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
