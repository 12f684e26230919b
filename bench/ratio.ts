import type { Cannon, Loader } from './loader'
import type { Scale } from './options'
import type { Spread } from './statistics'

export interface Ratio {
  readonly what: string
  readonly spread: Spread
  readonly target: number
  readonly format?: (value: number) => string
}

export interface Bench {
  readonly cannon: Cannon
  readonly loader: Loader
  readonly scale: Scale
  readonly say: (line: string) => void
}
