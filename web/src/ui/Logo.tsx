/** EchoMind's mark: a point and the rings that it sends out. */
export function Logo({ size = 32 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" role="img" aria-label="EchoMind">
      <rect width="32" height="32" rx="8" fill="#1f6f64" />
      <circle cx="11" cy="16" r="2.6" fill="#fff" />
      <g fill="none" stroke="#fff" strokeWidth="2.4" strokeLinecap="round">
        <path d="M16.2 10.8a7.4 7.4 0 0 1 0 10.4" />
        <path d="M20.6 7.2a12.4 12.4 0 0 1 0 17.6" opacity=".65" />
      </g>
    </svg>
  );
}
