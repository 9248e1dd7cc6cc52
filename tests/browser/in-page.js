// Injected into the page by tests that check what a pointer can reach.
globalThis.inPage = (() => {
  const overlays = '[role="menu"], [role="dialog"], [role="listbox"]';
  const controls =
    'a[href], button, input, textarea, select, [role="option"], [role^="menuitem"], [role="combobox"]';
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

  /**
   * Opens every menu, list and dialog of the page, and those inside them, and closes them with Escape. Returns their
   * names, and what does not open, what a pointer cannot reach, and what Escape does not close. Those of the frame are
   * the same on every page, so the known ones are left out.
   */
  async function openEveryOverlay({ actsAtOnce, knownNames }) {
    const names = [];
    const faults = [];
    await explore([]);
    return { names, faults };

    /** Opens every overlay on the page, or inside the overlay at the end of `path`. */
    async function explore(path) {
      const seen = [];
      for (;;) {
        const next = nextOpener(seen, path.length, actsAtOnce);
        if (next === null) return;
        seen.push(next.name);
        const name = [...path, next.name].join(" > ");
        if (next.name.startsWith("frame: ") && knownNames.includes(name)) continue;
        names.push(name);
        if (!(await open(next.element))) {
          faults.push(`${name}: opens nothing`);
          return;
        }
        faults.push(...unreachable().map((fault) => `${name}: ${fault}`));
        if (path.length < 2) await explore([...path, next.name]);
        if (!(await close())) {
          faults.push(`${name}: Escape does not close it`);
          return;
        }
        // Choosing a menu item closes the menu.
        if (depth() < path.length && !(await reopen(path))) return;
      }
    }

    async function reopen(path) {
      for (const [level, name] of path.entries()) {
        const seen = [];
        let next = nextOpener(seen, level, actsAtOnce);
        while (next !== null && next.name !== name) {
          seen.push(next.name);
          next = nextOpener(seen, level, actsAtOnce);
        }
        if (next === null || !(await open(next.element))) return false;
      }
      return true;
    }
  }

  /** The next element that opens an overlay and whose name is not in `seen`. */
  function nextOpener(seen, depth, actsAtOnce) {
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
      if (!seen.includes(name)) return { element, name };
    }
    return null;
  }

  function opens(element, actsAtOnce) {
    if (!isShown(element) || element.matches(":disabled, [aria-disabled=true], [aria-hidden=true]"))
      return false;
    // All rows of a list are alike.
    if (element.closest("tbody tr:not(:first-child)") !== null) return false;
    // The palette's field shows its list while the palette is open.
    if (element.getAttribute("aria-expanded") === "true") return false;
    // A tag field without known tags has no list.
    if (element.matches(".mantine-TagsInput-inputField")) return false;
    // Help shows text without controls.
    if (nameOf(element).startsWith("About: ")) return false;
    if (element.hasAttribute("aria-haspopup") || element.getAttribute("role") === "combobox") return true;
    if (element.type === "submit" || element.closest("th, [role=tablist], [role=switch]") !== null)
      return false;
    if (["aria-pressed", "aria-expanded", "aria-checked"].some((name) => element.hasAttribute(name)))
      return false;
    return !new RegExp(actsAtOnce).test(nameOf(element));
  }

  /** Clicks where the mouse would, and waits until an overlay has opened and taken the focus. */
  async function open(element) {
    const known = shown();
    if (!click(element)) return false;
    const hasOpened = () => {
      const found = shown().filter((one) => !known.includes(one));
      const outermost = found.find((one) => !found.some((other) => other !== one && other.contains(one)));
      if (outermost !== undefined) opened.push(outermost);
      return outermost !== undefined;
    };
    if (!(await becomes(hasOpened))) return false;
    // Until it has the focus, Escape goes to the page. Menus and dialogs take it a moment after they are shown, but some
    // leave it where it was.
    const isOpener = () => [element, document.body].includes(document.activeElement);
    await becomes(() => !opened.at(-1).matches("[role=menu], [role=dialog]") || !isOpener(), 300);
    return true;
  }

  /** Returns whether a click on the middle of the element reaches it. */
  function click(element) {
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
    const { left, top, width, height } = element.getBoundingClientRect();
    const at = { clientX: left + width / 2, clientY: top + height / 2 };
    const hit = document.elementFromPoint(at.clientX, at.clientY);
    if (!meets(element, document.body, hit)) return false;
    const event = { ...at, bubbles: true, cancelable: true, composed: true, view: window, detail: 1 };
    const pointer = { ...event, pointerId: 1, pointerType: "mouse", isPrimary: true };
    hit.dispatchEvent(new PointerEvent("pointerdown", pointer));
    if (hit.dispatchEvent(new MouseEvent("mousedown", event))) element.focus({ preventScroll: true });
    hit.dispatchEvent(new PointerEvent("pointerup", pointer));
    hit.dispatchEvent(new MouseEvent("mouseup", event));
    hit.dispatchEvent(new PointerEvent("click", pointer));
    return true;
  }

  /** Presses Escape, and waits until the last opened overlay is gone. While it fades out, it is still on the page. */
  async function close() {
    const key = {
      key: "Escape",
      code: "Escape",
      keyCode: 27,
      bubbles: true,
      cancelable: true,
      composed: true,
    };
    for (const type of ["keydown", "keyup"])
      (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent(type, key));
    const last = opened.at(-1);
    const isClosed = await becomes(() => !last.isConnected || !last.checkVisibility());
    if (isClosed) opened.pop();
    return isClosed;
  }

  async function becomes(isSo, timeoutMs = 20_000) {
    const end = performance.now() + timeoutMs;
    while (!isSo()) {
      if (performance.now() > end) return false;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return true;
  }

  /** The number of nested overlays that are still open. */
  function depth() {
    while (opened.length > 0 && !isShown(opened.at(-1))) opened.pop();
    return opened.length;
  }

  /** Every item of the last opened overlay that a pointer cannot reach, with the reason. */
  function unreachable() {
    const overlay = opened.at(-1);
    const faults = [];
    for (const item of overlay.querySelectorAll(controls)) {
      if (!isShown(item)) continue;
      item.scrollIntoView({ block: "nearest", inline: "nearest" });
      const box = item.getBoundingClientRect();
      // A link can span two lines, and then the middle of its bounding box is outside it.
      const line = [...item.getClientRects()].find(({ width }) => width > 4) ?? box;
      const x = line.left + line.width / 2;
      const y = line.top + line.height / 2;
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

  /** A click on a label reaches its field, and an icon may cover a field. */
  function meets(item, overlay, hit) {
    if (hit === null) return false;
    if (item.contains(hit) || hit.closest("label")?.control === item) return true;
    return item.matches("input") && overlay.contains(hit) && hit.parentElement.contains(item);
  }

  function faultsOfPage({ mayTearWords }) {
    const torn = mayTearWords ? [] : tornWords();
    return [...layoutFaults(), ...torn, ...crampedCells(), ...focusFaults()];
  }

  /** Elements that overflow the page sideways, and texts or images that overlap. */
  function layoutFaults() {
    const { scrollWidth, clientWidth } = document.documentElement;
    const faults = scrollWidth > clientWidth ? [`the page is ${scrollWidth - clientWidth} px too wide`] : [];
    for (const name of [...document.querySelectorAll("button, a[href]")].filter(isShown))
      if (name.clientWidth > 0 && name.clientWidth < 16 && name.scrollWidth > name.clientWidth + 2)
        faults.push(`"${nameOf(name).slice(0, 30)}" is only ${name.clientWidth} px wide`);
    for (const icon of document.querySelectorAll("svg[width]"))
      if (isShown(icon.parentElement) && icon.getBoundingClientRect().width < icon.getAttribute("width") - 1)
        faults.push(`an icon of "${nameOf(icon.parentElement).slice(0, 30)}" is squeezed`);
    const boxes = drawn().sort((one, other) => one.top - other.top);
    for (const [index, box] of boxes.entries()) {
      if (box.left < -1 || box.right > clientWidth + 1) faults.push(`"${box.said}" is cut off at the side`);
      for (const next of boxes.slice(index + 1)) {
        if (next.top > box.bottom - 4) break;
        const overlap = Math.min(box.right, next.right) - Math.max(box.left, next.left);
        const isApart = box.element === next.element || box.layer !== next.layer;
        if (overlap > 4 && box.bottom - next.top > 4 && !isApart)
          faults.push(`"${box.said}" and "${next.said}" lie over each other`);
      }
    }
    return faults.slice(0, 5);
  }

  /** The boxes of all texts and images, except where they are clipped on purpose. */
  function drawn() {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const isText = node.nodeType === Node.TEXT_NODE;
      if (isText ? node.textContent.trim() === "" : node.tagName !== "svg") continue;
      const element = node.parentElement;
      if (element.closest("svg, style, script, option, select") !== null || !isShown(element)) continue;
      const range = document.createRange();
      range.selectNode(node);
      for (const rect of range.getClientRects()) {
        const box = clipped(element, rect);
        if (box === null) continue;
        found.push({ ...box, element, layer: layerOf(element), said: nameOf(element).slice(0, 30) });
      }
    }
    return found;
  }

  function clipped(element, { left, right, top, bottom }) {
    const box = { left, right, top, bottom };
    for (let one = element; one !== null && one !== document.body; one = one.parentElement) {
      const { overflowX, position, clipPath } = getComputedStyle(one);
      if (clipPath !== "none") return null;
      if (overflowX !== "visible") {
        const frame = one.getBoundingClientRect();
        box.left = Math.max(box.left, frame.left);
        box.right = Math.min(box.right, frame.right);
        box.top = Math.max(box.top, frame.top);
        box.bottom = Math.min(box.bottom, frame.bottom);
      }
      if (position === "fixed") break;
    }
    // Elements wholly outside the page are hidden on purpose: the skip link, and the navigation on a phone.
    const isAway = box.right <= 0;
    return box.right - box.left > 1 && box.bottom - box.top > 1 && !isAway ? box : null;
  }

  /** Elements that stay in position while the page scrolls. */
  function layerOf(element) {
    for (let one = element; one !== null; one = one.parentElement)
      if (["fixed", "sticky"].includes(getComputedStyle(one).position)) return one;
    return null;
  }

  /** Truncated table cells although another column has space to spare. */
  function crampedCells() {
    return [...document.querySelectorAll("table")].flatMap((table) => {
      const columns = [];
      for (const row of [...table.tBodies].flatMap((body) => [...body.rows]))
        for (const cell of [...row.cells].filter(isShown)) {
          columns[cell.cellIndex] ??= { missing: 0, spare: Infinity, said: "" };
          const column = columns[cell.cellIndex];
          const { missing, spare } = roomOf(cell);
          column.spare = Math.min(column.spare, spare);
          if (missing > column.missing) Object.assign(column, { missing, said: nameOf(cell).slice(0, 30) });
        }
      const most = Math.max(...columns.map((column) => column?.spare ?? 0));
      return columns
        .filter(({ missing }) => missing > 1 && most > missing + 16)
        .map(
          ({ missing, said }) => `"${said}" lacks ${missing} px, and another column has ${Math.floor(most)}`,
        );
    });
  }

  /** Short words in table cells that break across lines. An email address or a URL has to break somewhere. */
  function tornWords() {
    const torn = new Set();
    const range = document.createRange();
    for (const cell of [...document.querySelectorAll("td")].filter(isShown)) {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
        for (const { 0: word, index } of text.data.matchAll(/(?<!\S)[^\s-]{2,13}(?!\S)/gu)) {
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          if (lines.size > 1) torn.add(word);
        }
    }
    return [...torn];
  }

  function roomOf(cell) {
    const boxes = [cell, ...cell.querySelectorAll("*")].filter(isShown);
    const cut = boxes.filter((box) => getComputedStyle(box).textOverflow === "ellipsis");
    const range = document.createRange();
    range.selectNodeContents(cell);
    const { paddingLeft, paddingRight } = getComputedStyle(cell);
    const room = cell.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    return {
      missing: Math.max(0, ...cut.map((box) => box.scrollWidth - box.clientWidth)),
      spare: room - range.getBoundingClientRect().width,
    };
  }

  /** Text fields without a visible focus: no 2 px outline, or a contrast below 3:1 with its surroundings. */
  function focusFaults() {
    for (const type of focusEvents) addEventListener(type, ignore, true);
    const fields = [...document.querySelectorAll("input, textarea, select")].filter(
      (field) =>
        isShown(field) && !field.disabled && !/^(checkbox|radio|file|hidden|range)$/.test(field.type),
    );
    document.activeElement?.blur();
    const faults = fields.flatMap((field) => {
      const around = [field, field.parentElement, field.parentElement.parentElement];
      const before = around.map(outlineOf);
      field.focus({ preventScroll: true });
      const focused = around.findIndex((box, index) => outlineOf(box) !== null && before[index] === null);
      const box = around[focused];
      if (box === undefined) return [`"${nameOf(field)}" does not show that it has the focus`];
      const colour = outlineOf(box);
      const worst = Math.min(...[box, box.parentElement].map((one) => contrast(colour, groundOf(one))));
      return worst < 3 ? [`the focus of "${nameOf(field)}" has a contrast of ${worst.toFixed(2)}`] : [];
    });
    document.activeElement?.blur();
    for (const type of focusEvents) removeEventListener(type, ignore, true);
    return faults;
  }

  /** The page does not notice which field has the focus, because some would open a list. */
  const focusEvents = ["focus", "blur", "focusin", "focusout"];
  const ignore = (event) => event.stopImmediatePropagation();

  function outlineOf(element) {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
    return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2 ? partsOf(outlineColor) : null;
  }

  const partsOf = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);

  function groundOf(element) {
    for (let one = element; one !== null; one = one.parentElement) {
      const parts = partsOf(getComputedStyle(one).backgroundColor);
      if (parts.length === 3 || parts[3] === 1) return parts;
    }
    return [255, 255, 255];
  }

  function contrast(one, other) {
    const [dark, light] = [one, other].map(luminance).sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  }

  function luminance(parts) {
    const [red, green, blue] = parts
      .slice(0, 3)
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  return {
    openEveryOverlay,
    faultsOfPage,
    focusFaults,
  };
})();
