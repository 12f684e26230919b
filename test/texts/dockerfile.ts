/** One instruction of a Dockerfile, such as `COPY prisma prisma`. */
export interface Instruction {
  readonly name: string
  readonly text: string
}

/** Joins continued lines and leaves out comments. */
export function instructionsOf(dockerfile: string): Instruction[] {
  return dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = ''] = line.split(' ')
      return { name, text: line.slice(name.length + 1).trim() }
    })
}

/** The instructions of a stage after its FROM; empty when there is no such stage. */
export function stageOf(instructions: readonly Instruction[], stage: string): Instruction[] {
  const start = instructions.findIndex(({ name, text }) => name === 'FROM' && text.endsWith(` AS ${stage}`))
  if (start === -1) return []
  const rest = instructions.slice(start + 1)
  const end = rest.findIndex(({ name }) => name === 'FROM')
  return end === -1 ? rest : rest.slice(0, end)
}

/** The texts of all instructions of one kind, such as `ENV`. */
export function textsOf(stage: readonly Instruction[], kind: string): string[] {
  return stage.filter(({ name }) => name === kind).map(({ text }) => text)
}
