import type { LogoFault } from "./logo-fault.ts";

export const svgNamespace = "http://www.w3.org/2000/svg";

export interface SvgElement {
  readonly name: string;
  /** In the order in which they are written. */
  readonly attributes: Map<string, string>;
  readonly children: (SvgElement | string)[];
}

/** Ends the work on a file. It never leaves `sanitizeSvgLogo`. */
export class SvgRefusal extends Error {
  readonly fault: LogoFault;

  constructor(fault: LogoFault) {
    super(fault.code);
    this.fault = fault;
  }
}
