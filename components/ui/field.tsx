interface Props {
  readonly label: string
  readonly name: string
  readonly value: string
  /** What is wrong with it, and what to do. */
  readonly problem?: string | undefined
  readonly hint?: string
  readonly inputMode?: 'decimal' | 'text'
  readonly maxLength?: number
  readonly required?: boolean
}

export function problemIdOf(name: string): string {
  return `${name}-problem`
}

/** Next to the field that it is about. */
export function FieldProblem({ name, problem }: { readonly name: string; readonly problem: string | undefined }) {
  return problem === undefined ? null : (
    <p role="alert" id={problemIdOf(name)} className="text-sm text-red">
      × {problem}
    </p>
  )
}

/** A line to type in, with its label above and what was typed before an error, and what is wrong with it. */
export function Field({
  label,
  name,
  value,
  problem,
  hint,
  inputMode = 'text',
  maxLength = 40,
  required = true,
}: Props) {
  const hintId = `${name}-hint`
  const describedBy = [problem === undefined ? '' : problemIdOf(name), hint === undefined ? '' : hintId]
    .filter(Boolean)
    .join(' ')
  return (
    <div className="grid gap-1">
      <label className="label" htmlFor={name}>
        {label}
      </label>
      <input
        className="field figures scroll-mt-24"
        id={name}
        name={name}
        defaultValue={value}
        inputMode={inputMode}
        autoComplete="off"
        maxLength={maxLength}
        required={required}
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={describedBy === '' ? undefined : describedBy}
      />
      <FieldProblem name={name} problem={problem} />
      {hint === undefined ? null : (
        <p className="label" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  )
}
