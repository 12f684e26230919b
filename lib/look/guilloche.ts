/**
 * A banknote rosette for an address: the mark of a person, a wallet, a connection. The same text always gives the same
 * curve, and two people rarely look alike.
 */
export interface Rosette {
  /** SVG path data in a box of 100 by 100. */
  readonly paths: readonly string[]
}

const STEPS = 240

export function rosetteOf(text: string): Rosette {
  const take = numbersFrom(text)
  const petals = 5 + take(8)
  const inner = 3 + take(5)
  const depth = 0.22 + take(20) / 100
  const twist = take(360)
  return {
    paths: [
      curve({ petals, ratio: inner, radius: 45, depth, twist }),
      curve({ petals: petals + 3, ratio: inner + 2, radius: 31, depth: depth * 0.9, twist: twist + 40 }),
      curve({ petals: inner + 2, ratio: petals, radius: 16, depth: 0.3, twist }),
    ],
  }
}

interface Curve {
  readonly petals: number
  readonly ratio: number
  readonly radius: number
  readonly depth: number
  readonly twist: number
}

/** Two sine waves on a circle, closed after one turn because both counts are whole numbers. */
function curve({ petals, ratio, radius, depth, twist }: Curve): string {
  const points = Array.from({ length: STEPS }, (_, step) => {
    const angle = (step / STEPS) * 2 * Math.PI
    const wave = Math.sin(angle * petals + twist) * depth + Math.sin(angle * petals * ratio) * depth * 0.45
    const distance = radius * (1 - depth + wave * 0.7)
    return `${(50 + distance * Math.cos(angle)).toFixed(1)} ${(50 + distance * Math.sin(angle)).toFixed(1)}`
  })
  return `M${points.join('L')}Z`
}

/** FNV-1a over the text, then one step of the same for each number asked for. */
function numbersFrom(text: string): (below: number) => number {
  let state = 0x811c9dc5
  const step = (value: number): void => {
    state = Math.imul(state ^ value, 0x01000193) >>> 0
  }
  for (const character of text) step(character.codePointAt(0) ?? 0)
  return (below) => {
    step(below)
    return (state >>> 8) % below
  }
}
