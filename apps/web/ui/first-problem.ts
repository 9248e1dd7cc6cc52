/** How long a collapsed part of a form can take to open. */
const patienceMs = 1_000;

const wrongField = '[aria-invalid="true"], [data-error="true"]';

/** Scrolls to the first invalid field of a form and focuses it; without one, the error message. */
export function showFirstProblem(form: HTMLElement, selector: string = wrongField): void {
  const until = performance.now() + patienceMs;
  let last = Number.NaN;
  const look = () => {
    const found =
      form.querySelector<HTMLElement>(selector) ?? form.querySelector<HTMLElement>('[role="alert"]');
    if (found === null) return;
    const { top, height } = found.getBoundingClientRect();
    // It may be in a part that is just opening: wait until its position is stable.
    if ((height === 0 || top !== last) && performance.now() < until) {
      last = height === 0 ? Number.NaN : top;
      requestAnimationFrame(look);
      return;
    }
    found.scrollIntoView({ block: "center" });
    focusable(found)?.focus({ preventScroll: true });
  };
  look();
}

function focusable(element: HTMLElement): HTMLElement | null {
  const fields = "input, textarea, select, button";
  return element.matches(fields) ? element : element.querySelector<HTMLElement>(fields);
}
