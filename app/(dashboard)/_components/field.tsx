import { PROBLEM_ID } from './notice'

interface Props {
  readonly label: string
  readonly name: string
  readonly value: string
  /** The field that the problem above is about. */
  readonly atFault?: boolean
  readonly hint?: string
  readonly inputMode?: 'decimal' | 'text'
  readonly maxLength?: number
  readonly required?: boolean
}

/** A line to type in, with its label above and what was typed before an error. */
export function Field({
  label,
  name,
  value,
  atFault = false,
  hint,
  inputMode = 'text',
  maxLength = 40,
  required = true,
}: Props) {
  const hintId = `${name}-hint`
  const describedBy = [atFault ? PROBLEM_ID : '', hint === undefined ? '' : hintId].filter(Boolean).join(' ')
  return (
    <div className="grid gap-1">
      <label className="label" htmlFor={name}>
        {label}
      </label>
      <input
        className="field figures"
        id={name}
        name={name}
        defaultValue={value}
        inputMode={inputMode}
        autoComplete="off"
        maxLength={maxLength}
        required={required}
        aria-invalid={atFault ? true : undefined}
        aria-describedby={describedBy === '' ? undefined : describedBy}
      />
      {hint === undefined ? null : (
        <p className="label" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  )
}
