/** What the command line says; where it says what cannot be done, the process ends with 2 and that sentence. */
export function readOptions<Options>(read: () => Options): Options {
  try {
    return read()
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exit(2)
  }
}

/** @throws Error that names the option when its text is no such number. */
export function numberOption(
  option: string,
  text: string,
  { least, whole = false }: { readonly least: number; readonly whole?: boolean },
): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && (!whole || Number.isSafeInteger(number))) return number
  throw new Error(`--${option} takes a ${whole ? 'whole ' : ''}number of at least ${least}.`)
}

/** @throws Error that names the option and what it takes. */
export function oneOf<Choice extends string>(
  option: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  const chosen = choices.find((choice) => choice === text)
  if (text === undefined || chosen !== undefined) return chosen
  throw new Error(`--${option} takes ${choices.join(' or ')}.`)
}
