import type { ShownOncePage } from './shown-once'

/** Why a form was refused: the reason's code, and the field at fault if there is only one. */
export interface FormError {
  readonly field?: string
  readonly code: string
  /** Values that the form must send again unchanged. */
  readonly resend?: Readonly<Record<string, string>>
  /** What another party answered. It is passed sealed, because an address must not be able to supply a text for the page. */
  readonly quoted?: { readonly page: ShownOncePage; readonly text: string }
}

/** The texts of a form's errors, by `field.code`, or by the code alone where no single field is at fault. */
export type ErrorTexts = Readonly<Record<string, string>>

/** The name of an error in the address bar and in the texts of its form. */
export function errorKey({ field, code }: FormError): string {
  return field === undefined ? code : `${field}.${code}`
}

const UNKNOWN = 'Something went wrong on our side. Check your statement before you try again.'

/**
 * The text of the error in the address bar, by the field that shows it; `form` where no single field is at fault. Only texts of
 * the form are shown, so an address cannot supply its own text.
 */
export function readFormError(texts: ErrorTexts, key: string | undefined): Readonly<Record<string, string>> {
  if (key === undefined) return {}
  const text = Object.hasOwn(texts, key) ? texts[key] : undefined
  if (text === undefined) return { form: UNKNOWN }
  return { [key.includes('.') ? key.slice(0, key.indexOf('.')) : 'form']: text }
}
