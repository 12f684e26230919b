import type { CaseContext } from './context.ts'
import type { Sentence } from './sentences.ts'
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
  /** Fulfils when the VASP conforms, with a value that nobody reads. @throws Failure, NotApplicable or NotRun; TransportError when no answer arrives. */
  readonly run: (context: CaseContext) => Promise<unknown>
}

/** What a case states besides its id, level and title. What it leaves out is that of its group. */
export interface CaseText extends Pick<ConformanceCase, 'advice' | 'run'> {
  /** A named sentence; the reason alone, when the group's paragraph holds; or a paragraph and its reason. */
  readonly source: Sentence | string | readonly [paragraph: string, quote: string]
  readonly dependsOn?: readonly string[]
  readonly needs?: readonly Need[]
  readonly timeoutSeconds?: number
}

type AddCase<Text> = (id: string, title: string, text: Text) => ConformanceCase

/** Writes cases of each level. A `must` names a sentence of the specification. */
export interface CaseGroup {
  readonly must: AddCase<CaseText & { readonly source: Sentence }>
  readonly gateway: AddCase<CaseText>
  readonly should: AddCase<CaseText>
  readonly option: AddCase<CaseText>
}

/** Cases with one paragraph, and with the same dependencies and needs unless a case names its own. */
export function caseGroup(paragraph: string, dependsOn: readonly string[], needs: readonly Need[] = []): CaseGroup {
  const at =
    (level: Level): AddCase<CaseText> =>
    (id, title, { source, ...rest }) => ({
      id,
      level,
      title,
      ...sentenceOf(source, paragraph),
      dependsOn,
      needs,
      ...rest,
    })
  return { must: at('must'), gateway: at('gateway-compatibility'), should: at('should'), option: at('option') }
}

function sentenceOf(source: CaseText['source'], paragraph: string): Sentence {
  if (typeof source === 'string') return { paragraph, quote: source }
  if (!isPair(source)) return source
  return { paragraph: source[0], quote: source[1] }
}

function isPair(source: CaseText['source']): source is readonly [string, string] {
  return Array.isArray(source)
}
