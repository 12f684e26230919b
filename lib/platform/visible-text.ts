/**
 * A text that a foreign party wrote, if it shows anything. Undefined for null, for an empty text, and for one of spaces and characters
 * without a glyph, so that a page shows something else instead, such as the recipient.
 */
export function visibleText(text: string | null | undefined): string | undefined {
  return text !== null && text !== undefined && VISIBLE.test(text) ? text : undefined
}

/** U+2800 is a blank Braille pattern. */
const VISIBLE = /[^\s\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u
