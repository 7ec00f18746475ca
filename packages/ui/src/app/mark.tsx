/** The mark: a question goes down the rail until a rule answers. */
export function Mark() {
  return (
    <svg className="mark" width="44" height="44" viewBox="0 0 44 44" fill="none" aria-hidden="true">
      <rect width="44" height="44" rx="11" fill="var(--ink)" />
      <path
        d="M15 7v30"
        stroke="var(--on-ink)"
        strokeOpacity=".38"
        strokeWidth="2.5"
        strokeLinecap="round"
      />
      <circle
        cx="15"
        cy="13"
        r="3.6"
        fill="var(--ink)"
        stroke="var(--on-ink)"
        strokeOpacity=".6"
        strokeWidth="2.5"
      />
      <path d="M15 24.5h11" stroke="var(--on-ink)" strokeWidth="3" />
      <circle cx="15" cy="24.5" r="5" fill="var(--on-ink)" />
      <rect x="25" y="18.5" width="12" height="12" rx="3.5" fill="var(--on-ink)" />
    </svg>
  )
}
