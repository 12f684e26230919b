import type { CaseContext } from './context.ts'
import type { Level, Need } from './verdict.ts'

export interface ConformanceCase {
  /** Area and name: `exchange.permissions-empty`. */
  readonly id: string
  readonly level: Level
  /** The requirement, as a sentence. */
  readonly title: string
  /** Where the requirement comes from. */
  readonly paragraph: string
  /** For `must`: the sentence of the specification, word for word. For other levels: the reason. */
  readonly quote: string
  /** What to change in the VASP. */
  readonly advice: string
  readonly dependsOn?: readonly string[]
  readonly needs?: readonly Need[]
  /** 30 when absent. */
  readonly timeoutSeconds?: number
  /** Returns when the VASP conforms. @throws Failure, NotApplicable or NotRun; TransportError when no answer arrives. */
  readonly run: (context: CaseContext) => Promise<void>
}
