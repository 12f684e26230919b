/**
 * A text that another party wrote, as pages show it: on one line, and without characters that nobody sees or that change the
 * direction of the text around them. Joiners and variation selectors stay where emoji and the scripts that need them have them.
 * @returns undefined for null, and when nothing of the text is visible, so that a page shows something else instead.
 */
export function visibleText(text: string | null | undefined): string | undefined {
  const shown = text === null || text === undefined ? '' : withoutHidden(text).replaceAll(BREAKS, ' ').trim()
  return VISIBLE.test(shown) ? shown : undefined
}

/** `visibleText` that keeps line breaks. Empty when nothing is visible. */
export function visibleLines(text: string): string {
  const lines = text.split('\n').map((line) => visibleText(line) ?? '')
  return lines.join('\n').trim()
}

/** Whether all characters of a text are visible, or spaces in one line. */
export function isVisibleLine(text: string): boolean {
  return VISIBLE.test(text) && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text) && withoutHidden(text) === text
}

/** A text with what `visibleText` would remove as escapes, which JSON reads as the same text. For developers, who look for such characters. */
export function withHiddenEscaped(text: string): string {
  return [HIDDEN, OUT_OF_PLACE].reduce((rest, pattern) => rest.replaceAll(pattern, escaped), text)
}

function withoutHidden(text: string): string {
  return text.replaceAll(HIDDEN, '').replaceAll(OUT_OF_PLACE, '')
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => String.raw`\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/**
 * Direction controls, zero width spaces, fillers, tags: Unicode calls what shows nothing default ignorable. The three of interlinear
 * annotation are not on that list.
 */
const HIDDEN = /(?![\u200C\u200D\p{Variation_Selector}])[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu
/** Joiners and variation selectors that follow neither a pictograph nor a letter of a script without case. */
const OUT_OF_PLACE =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Lo}]|(?!\p{Script=Inherited})\p{M})\p{Variation_Selector}|(?<!(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Lo}]|(?!\p{Script=Inherited})\p{M})\uFE0F?)[\u200C\u200D]/gu
const BREAKS = /[\s\p{Cc}\p{Cs}]+/gu
/** U+2800 is a blank Braille pattern. */
const VISIBLE = /[^\s\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u
