import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest; vitest starts with the largest file, which says nothing of how long it runs. */
const LONGEST = ['postgres', 'differential', 'races', 'exhaustive', 'planted', 'random'].map(
  (name) => `/test/simulation/${name}.sim.test.ts`,
)

/** Starts the longest files of the simulation first, so that its two workers end together; all others as usual. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files)
    const place = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(name))
      return found === -1 ? LONGEST.length : found
    }
    return usual.toSorted((a, b) => place(a) - place(b))
  }
}
