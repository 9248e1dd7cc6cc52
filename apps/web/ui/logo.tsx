/** The letter C with a signature stroke. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="#116550" />
      <path
        d="M22.6 10.4a8.5 8.5 0 1 0 .6 10.2"
        fill="none"
        stroke="#fff"
        strokeWidth="3"
        strokeLinecap="round"
      />
      <path
        d="m12.6 16.2 3.4 3.4 9.4-9.2"
        fill="none"
        stroke="#a6d5c7"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
