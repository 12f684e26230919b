import type { ComponentProps, ReactNode } from 'react'

interface FrameProps {
  readonly label: string
  readonly name: string
  /** The text about what is wrong with the value, and what to do. */
  readonly error?: string | undefined
  readonly hint?: ReactNode
}

interface Props extends FrameProps, Omit<ComponentProps<'input'>, 'name'> {
  /** What the user typed before an error. */
  readonly value: string
}

/** An input with its label above it, and the error and the hint below it. It takes 40 characters unless `maxLength` is given. */
export function Field({ label, name, value, error, hint, className = 'figures', ...input }: Props) {
  return (
    <FieldFrame label={label} name={name} error={error} hint={hint}>
      <input
        className={`field scroll-mt-24 ${className}`}
        name={name}
        defaultValue={value}
        autoComplete="off"
        maxLength={40}
        {...describedBy(name, error, hint)}
        {...input}
      />
    </FieldFrame>
  )
}

/** A field for a text of several lines. Its value is not kept after an error. */
export function TextArea({ label, name, error, hint, ...area }: FrameProps & Omit<ComponentProps<'textarea'>, 'name'>) {
  return (
    <FieldFrame label={label} name={name} error={error} hint={hint}>
      <textarea
        className="field scroll-mt-24 py-2 font-mono text-sm"
        name={name}
        autoComplete="off"
        spellCheck={false}
        {...describedBy(name, error, hint)}
        {...area}
      />
    </FieldFrame>
  )
}

interface SelectProps extends FrameProps {
  readonly chosen: string | undefined
  readonly options: readonly (readonly [value: string, text: string])[]
}

/** A list to choose from; plain text when there is only one choice. */
export function Select({ label, name, chosen, error, options }: SelectProps) {
  const [only, ...others] = options
  if (only !== undefined && others.length === 0)
    return (
      <div className="grid gap-1">
        <span className="label">{label}</span>
        <p className="flex min-h-(--control) items-center">{only[1]}</p>
        <input type="hidden" name={name} value={only[0]} />
        <FieldError name={name} error={error} />
      </div>
    )
  return (
    <FieldFrame label={label} name={name} error={error}>
      <select className="field scroll-mt-24" name={name} defaultValue={chosen} {...describedBy(name, error)}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </FieldFrame>
  )
}

function FieldFrame({ label, name, error, hint, children }: FrameProps & { readonly children: ReactNode }) {
  return (
    <div className="grid gap-1">
      <label className="label" htmlFor={name}>
        {label}
      </label>
      {children}
      <FieldError name={name} error={error} />
      {hint === undefined ? null : (
        <p className="label" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

function FieldError({ name, error }: Pick<FrameProps, 'name' | 'error'>) {
  return error === undefined ? null : (
    <p role="alert" id={`${name}-error`} className="text-sm text-red">
      × {error}
    </p>
  )
}

/** Links the error and the hint to the input for screen readers. */
function describedBy(name: string, error: string | undefined, hint?: ReactNode) {
  const ids = [error === undefined ? '' : `${name}-error`, hint === undefined ? '' : `${name}-hint`].filter(Boolean)
  return {
    id: name,
    'aria-invalid': error !== undefined || undefined,
    'aria-describedby': ids.length === 0 ? undefined : ids.join(' '),
  }
}
