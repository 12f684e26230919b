/**
 * A banknote rosette for an address: the image of a user, a wallet or a connection. The same text always gives the same
 * figure, and two figures are rarely alike.
 */
export interface Rosette {
  readonly rings: readonly Ring[]
}

/** Ellipses of one shape, rotated about the middle of a box of 100 by 100, evenly spaced. */
export interface Ring {
  readonly rx: number
  readonly ry: number
  /** Degrees, one for each ellipse. */
  readonly turns: readonly number[]
}

/** `fineness` multiplies the number of lines and keeps the shapes, so that a large figure looks like the small one. */
export function rosetteOf(text: string, fineness = 1): Rosette {
  const take = numbersFrom(text)
  return {
    rings: [
      ring({ count: fineness * (4 + take(5)), rx: 48, ry: 8 + take(24), twist: take(36) }),
      ring({ count: fineness * (3 + take(3)), rx: 24 + take(12), ry: 6 + take(18), twist: take(60) }),
      ring({ count: fineness * (2 + take(3)), rx: 14, ry: 4 + take(10), twist: take(90) }),
    ],
  }
}

function ring({ count, rx, ry, twist }: { count: number; rx: number; ry: number; twist: number }): Ring {
  // An ellipse looks the same after half a turn.
  return { rx, ry, turns: Array.from({ length: count }, (_, index) => Math.round(twist + (index * 180) / count)) }
}

/**
 * FNV-1a over the text, then one more step for each number. The output is mixed, because similar names give similar states.
 */
function numbersFrom(text: string): (below: number) => number {
  let state = 0x811c9dc5
  const step = (value: number): void => {
    state = Math.imul(state ^ value, 0x01000193) >>> 0
  }
  for (const character of text) step(character.codePointAt(0) ?? 0)
  return (below) => {
    step(below)
    return ((Math.imul(state ^ (state >>> 16), 0x85ebca6b) >>> 0) >>> 13) % below
  }
}
