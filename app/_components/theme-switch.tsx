const CHOICES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

/** Three small buttons; the server keeps the choice in a cookie, so no page flashes in the wrong colours. */
export function ThemeSwitch({ chosen, back }: { readonly chosen: string; readonly back: string }) {
  return (
    <form action="/theme" method="post" className="flex gap-4" aria-label="Colours">
      <input type="hidden" name="back" value={back} />
      {CHOICES.map(([value, label]) => (
        <button
          key={value}
          name="theme"
          value={value}
          aria-pressed={chosen === value}
          className={`tap label cursor-pointer underline-offset-4 ${chosen === value ? 'underline' : ''}`}
        >
          {label}
        </button>
      ))}
    </form>
  )
}
