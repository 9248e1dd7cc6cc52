/** How long a part of a form may take to unfold. */
const patienceMs = 1_000;

const wrongField = '[aria-invalid="true"], [data-error="true"]';

/** Brings the first wrong field of a form into sight and into focus; without one, the words that say what is wrong. */
export function showFirstProblem(form: HTMLElement, selector: string = wrongField): void {
  const until = performance.now() + patienceMs;
  let last = Number.NaN;
  const look = () => {
    const found =
      form.querySelector<HTMLElement>(selector) ?? form.querySelector<HTMLElement>('[role="alert"]');
    if (found === null) return;
    const { top, height } = found.getBoundingClientRect();
    // It may lie in a part that is only now unfolding: wait until it rests.
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
