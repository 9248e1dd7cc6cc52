// Runs inside the page, put there by the tests that check what a pointer would meet.
globalThis.inPage = (() => {
  const overlays = '[role="menu"], [role="dialog"], [role="listbox"]';
  const controls =
    'a[href], button, input, textarea, select, [role="option"], [role^="menuitem"], [role="combobox"]';
  let known = [];
  const opened = [];

  function isShown(element) {
    const { width, height } = element.getBoundingClientRect();
    if (width === 0 || height === 0 || !element.isConnected) return false;
    return element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  }

  const shown = () => [...document.querySelectorAll(overlays)].filter((one) => isShown(one) && hasItems(one));
  const hasItems = (overlay) => [...overlay.querySelectorAll(controls)].some(isShown);

  function nameOf(element) {
    const label = element.labels?.[0]?.textContent;
    return (element.getAttribute("aria-label") ?? label ?? element.textContent ?? "")
      .replaceAll(/\s+/g, " ")
      .trim();
  }

  /** Marks the next element that opens something and is not in `seen`; returns its name, or null. */
  function markNext({ seen, actsAtOnce, depth }) {
    document.querySelector("[data-next-opener]")?.removeAttribute("data-next-opener");
    const within = depth === 0 ? document.body : opened.at(-1);
    const selector = within.matches('[role="menu"]')
      ? 'button[role="menuitem"]'
      : depth === 0
        ? 'button, [role="combobox"], input[aria-haspopup]'
        : '[aria-haspopup], [role="combobox"]';
    for (const element of within.querySelectorAll(selector)) {
      if (!opens(element, actsAtOnce)) continue;
      const isFrame = depth === 0 && element.closest("header, nav") !== null;
      const name = `${isFrame ? "frame: " : ""}${nameOf(element)}`;
      if (seen.includes(name)) continue;
      element.setAttribute("data-next-opener", "");
      known = shown();
      return name;
    }
    return null;
  }

  function opens(element, actsAtOnce) {
    if (!isShown(element) || element.matches(":disabled, [aria-disabled=true], [aria-hidden=true]"))
      return false;
    // All rows of a list are alike.
    if (element.closest("tbody tr:not(:first-child)") !== null) return false;
    // The field of the palette shows its list as long as the palette is open.
    if (element.getAttribute("aria-expanded") === "true") return false;
    // A field for tags offers no list where no tags are known.
    if (element.matches(".mantine-TagsInput-inputField")) return false;
    if (element.hasAttribute("aria-haspopup") || element.getAttribute("role") === "combobox") return true;
    if (element.type === "submit" || element.closest("th, [role=tablist], [role=switch]") !== null)
      return false;
    if (["aria-pressed", "aria-expanded", "aria-checked"].some((name) => element.hasAttribute(name)))
      return false;
    return !new RegExp(actsAtOnce).test(nameOf(element));
  }

  /** Whether something has opened since `markNext`. */
  function hasOpened() {
    const found = shown().filter((one) => !known.includes(one));
    const outermost = found.find((one) => !found.some((other) => other !== one && other.contains(one)));
    if (outermost === undefined) return false;
    opened.push(outermost);
    return true;
  }

  function hasClosed() {
    const last = opened.at(-1);
    if (last !== undefined && isShown(last)) return false;
    opened.pop();
    return true;
  }

  /** How many of those that were opened one inside the other are still open. */
  function depth() {
    while (opened.length > 0 && !isShown(opened.at(-1))) opened.pop();
    return opened.length;
  }

  /** Every item of what was opened last that a pointer would miss, with why. */
  function unreachable() {
    const overlay = opened.at(-1);
    const faults = [];
    for (const item of overlay.querySelectorAll(controls)) {
      if (!isShown(item)) continue;
      item.scrollIntoView({ block: "nearest", inline: "nearest" });
      const box = item.getBoundingClientRect();
      const x = box.left + box.width / 2;
      const y = box.top + box.height / 2;
      const said = `"${nameOf(item).slice(0, 40)}"`;
      if (box.left < -0.5 || box.right > innerWidth + 0.5) faults.push(`${said} is cut off at the side`);
      else if (y < 0 || y > innerHeight) faults.push(`${said} is out of view`);
      else if (!meets(item, overlay, document.elementFromPoint(x, y))) {
        const hit = document.elementFromPoint(x, y);
        faults.push(`${said} is behind ${hit?.tagName.toLowerCase()}.${hit?.className}`);
      }
    }
    return faults;
  }

  /** A click on a label is a click on its field, and a field may lie under a picture of itself. */
  function meets(item, overlay, hit) {
    if (hit === null) return false;
    if (item.contains(hit) || hit.closest("label")?.control === item) return true;
    return item.matches("input") && overlay.contains(hit) && hit.parentElement.contains(item);
  }

  return { markNext, hasOpened, hasClosed, depth, unreachable };
})();
