/**
 * What happened, whose side, what to do: the sentence of a code in the address bar. Only codes of the table are spelled out; the
 * address bar decides no text.
 */
export function sentenceIn(
  sentences: ReadonlyMap<string, string>,
  code: string | undefined,
  otherwise = 'It did not work on our side. Look at your statement before you try again.',
): string | undefined {
  return code === undefined ? undefined : (sentences.get(code) ?? otherwise)
}
