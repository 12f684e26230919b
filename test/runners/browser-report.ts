import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestError } from 'playwright/types/testReporter'
import { writeProgress, writeReport } from './run-report'

/** Writes the same report for Playwright as test/runners/run-report.ts does for vitest. */
export default class BrowserReporter implements Reporter {
  #suite: Suite | undefined
  #done = 0
  #failed = 0
  /** Errors outside tests, such as those of the set-up. */
  readonly #errors: string[] = []

  onBegin(_config: FullConfig, suite: Suite): void {
    this.#suite = suite
    this.#sayProgress()
  }

  onTestEnd(test: TestCase): void {
    this.#done += 1
    if (!test.ok()) this.#failed += 1
    this.#sayProgress()
  }

  onError(error: TestError): void {
    this.#errors.push(firstLine(error))
  }

  onEnd({ status }: FullResult): void {
    const tests = this.#suite?.allTests() ?? []
    const ends = tests.map((test) => ({ test, end: test.outcome() }))
    writeReport({
      passed: ends.filter(({ end }) => end === 'expected' || end === 'flaky').length,
      skipped: ends.filter(({ end }) => end === 'skipped').length,
      failures: [
        ...this.#errors,
        ...ends.filter(({ end }) => end === 'unexpected').map(({ test }) => failureOf(test)),
        ...(status === 'timedout' || status === 'interrupted' ? ['the run had not ended'] : []),
      ],
      slowest: [],
    })
  }

  #sayProgress(): void {
    const total = this.#suite?.allTests().length ?? 0
    writeProgress([`${this.#done} of ${total} tests`, ...(this.#failed > 0 ? [`${this.#failed} failed`] : [])])
  }

  printsToStdio(): boolean {
    return false
  }
}

function failureOf(test: TestCase): string {
  const [, , ...path] = test.titlePath()
  const why = test.results.flatMap(({ errors }) => errors.map(firstLine)).join('; ')
  return `${path.join(' › ')}: ${why}`
}

function firstLine({ message = '' }: TestError): string {
  return message.split('\n')[0] ?? ''
}
