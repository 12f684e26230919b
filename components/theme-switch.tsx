'use client'

import type { SubmitEvent } from 'react'

const CHOICES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

export interface Theme {
  /** Differs where a page shows two of these. */
  readonly label?: string
  readonly chosen: string
  /** The page of the last full load. After navigation within the site, the browser's current address is used. */
  readonly back: string
}

/** Three small buttons; the server stores the choice in a cookie, so that no page flashes in the wrong colours. */
export function ThemeSwitch({ label = 'Colours', chosen, back }: Theme) {
  return (
    <form action="/theme" method="post" className="flex gap-4" aria-label={label} onSubmit={nameThisPage}>
      <input type="hidden" name="back" defaultValue={back} />
      {CHOICES.map(([value, name]) => (
        <button
          key={value}
          name="theme"
          value={value}
          aria-pressed={chosen === value}
          className={`tap label cursor-pointer underline-offset-4 ${chosen === value ? 'underline' : ''}`}
        >
          {name}
        </button>
      ))}
    </form>
  )
}

function nameThisPage({ currentTarget }: SubmitEvent<HTMLFormElement>): void {
  const back = currentTarget.elements.namedItem('back')
  if (back instanceof HTMLInputElement) back.value = `${location.pathname}${location.search}`
}
