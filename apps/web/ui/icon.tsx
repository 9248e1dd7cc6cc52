/** Drawn for 24 by 24, with a stroke of 1.75. */
const shapes = {
  overview: ["M4 13h6V4H4z", "M14 20h6v-9h-6z", "M4 20h6v-3H4z", "M14 7h6V4h-6z"],
  license: ["M15.5 4a4.5 4.5 0 1 1-4.2 6.1L4 17.4V20h3v-2h2v-2h2l1.9-1.9", "M16.5 7.5h.01"],
  product: ["M12 3l8 4.5v9L12 21l-8-4.5v-9z", "M4 7.5l8 4.5 8-4.5", "M12 12v9"],
  customer: ["M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8z", "M4.5 20a7.5 7.5 0 0 1 15 0"],
  ip: ["M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z", "M3 12h18", "M12 3c3 3 3 15 0 18", "M12 3c-3 3-3 15 0 18"],
  webhook: [
    "M9 15.5A4 4 0 1 1 6.5 9",
    "M6.5 16.5 10 10a4 4 0 1 1 6-3.5",
    "M6.5 16.5h9a3.5 3.5 0 1 1-1 5",
    "M13 7.5l3 5.5",
  ],
  audit: ["M5 4h14v16H5z", "M9 9h6", "M9 13h6", "M9 17h3"],
  members: [
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z",
    "M3 19a6 6 0 0 1 12 0",
    "M16 4.5a3.5 3.5 0 0 1 0 6.5",
    "M17.5 13.5A6 6 0 0 1 21 19",
  ],
  role: ["M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z", "M9 12l2 2 4-4"],
  token: ["M8 8l-4 4 4 4", "M16 8l4 4-4 4", "M13.5 6l-3 12"],
  settings: [
    "M4 7h9",
    "M17 7h3",
    "M15 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
    "M4 17h3",
    "M11 17h9",
    "M9 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  ],
  organization: ["M5 21V4h9v17", "M14 9h5v12", "M3 21h18", "M8.5 8h2", "M8.5 12h2", "M8.5 16h2"],
  platform: ["M4 5h16v5H4z", "M4 14h16v5H4z", "M8 7.5h.01", "M8 16.5h.01"],
  search: ["M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14z", "M20 20l-4-4"],
  plus: ["M12 5v14", "M5 12h14"],
  copy: ["M9 9h11v11H9z", "M15 9V4H4v11h5"],
  check: ["M5 12.5l4.5 4.5L19 7.5"],
  close: ["M6 6l12 12", "M18 6L6 18"],
  dots: [
    "M4.2 12a.8.8 0 1 0 1.6 0 .8.8 0 1 0-1.6 0z",
    "M11.2 12a.8.8 0 1 0 1.6 0 .8.8 0 1 0-1.6 0z",
    "M18.2 12a.8.8 0 1 0 1.6 0 .8.8 0 1 0-1.6 0z",
  ],
  down: ["M6 9l6 6 6-6"],
  right: ["M9 6l6 6-6 6"],
  left: ["M15 6l-6 6 6 6"],
  mail: ["M4 6h16v12H4z", "M4 7l8 6 8-6"],
  warning: ["M12 4l9 16H3z", "M12 10v4", "M12 17h.01"],
  info: ["M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z", "M12 11v5", "M12 8h.01"],
  upload: ["M12 16V4", "M7 9l5-5 5 5", "M4 20h16"],
  download: ["M12 4v12", "M7 11l5 5 5-5", "M4 20h16"],
  filter: ["M4 5h16l-6 8v6l-4-2v-4z"],
  refresh: ["M20 11a8 8 0 0 0-14.5-4L4 9", "M4 4v5h5", "M4 13a8 8 0 0 0 14.5 4L20 15", "M20 20v-5h-5"],
  block: ["M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z", "M5.6 5.6l12.8 12.8"],
  trash: ["M4 7h16", "M9 7V4h6v3", "M6 7l1 13h10l1-13"],
  edit: ["M4 20l1-4L16 5l3 3L8 19z"],
  clock: ["M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z", "M12 7v5l3 2"],
  sun: [
    "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8z",
    "M12 2v2",
    "M12 20v2",
    "M4 12H2",
    "M22 12h-2",
    "M5 5l1.5 1.5",
    "M17.5 17.5L19 19",
    "M19 5l-1.5 1.5",
    "M6.5 17.5L5 19",
  ],
  moon: ["M20 14A8 8 0 1 1 10 4a6.5 6.5 0 0 0 10 10z"],
  docs: ["M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3z", "M5 17a3 3 0 0 1 3-3h11"],
  help: [
    "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
    "M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .9-1 1.7",
    "M12 17h.01",
  ],
  exit: ["M14 4h5v16h-5", "M4 12h11", "M11 8l4 4-4 4"],
  key: ["M8 20a4 4 0 1 0 0-8 4 4 0 0 0 0 8z", "M11 13l9-9", "M15.5 8.5l3 3"],
  play: ["M7 5l12 7-12 7z"],
  lock: ["M6 11h12v9H6z", "M8.5 11V8a3.5 3.5 0 0 1 7 0v3"],
  minus: ["M6 12h12"],
  phone: ["M8 3h8v18H8z", "M11 18h2"],
  screen: ["M3 5h18v11H3z", "M9 20h6", "M12 16v4"],
} as const;

export type IconName = keyof typeof shapes;

/** Always next to text or inside a labelled control, so it is hidden from screen readers. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {shapes[name].map((shape) => (
        <path key={shape} d={shape} />
      ))}
    </svg>
  );
}
