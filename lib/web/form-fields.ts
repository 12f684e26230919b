/**
 * The fields of a submitted form. Every handler of a form reads them with `fieldOf` or `fieldsOf`.
 *
 * A field counts as absent when it is missing, empty or only white space: browsers send each empty field, and people leave
 * a blank in a field that they clear. Zero and `no` are values. Other text is unchanged, so that a page can show it again
 * as it was typed. Passwords are the exception: each character counts, so sign-in forms read the text itself.
 */
export function fieldOf(form: URLSearchParams, name: string): string | undefined {
  return setText(form.get(name))
}

/** All fields that are set, by name. */
export function fieldsOf(form: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...form].filter(([, value]) => setText(value) !== undefined))
}

/** The text, or undefined when a field or a parameter of a page's address is not set. */
export function setText(text: string | null | undefined): string | undefined {
  return text === null || text === undefined || text.trim() === '' ? undefined : text
}
