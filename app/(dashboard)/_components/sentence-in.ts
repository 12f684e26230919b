/**
 * What happened, whose side, what to do: the sentence of a code in the address bar. Only codes of the table are spelled out; the
 * address bar decides no text.
 */
export function sentenceIn(sentences: ReadonlyMap<string, string>, code: string | undefined): string | undefined {
  if (code === undefined) return undefined
  return sentences.get(code) ?? 'It did not work on our side. Look at your statement before you try again.'
}
