import type { Reporter, Vitest } from 'vitest/node'

/** Names the tests that had not ended at SIGINT, with which `npm test` ends a run that hangs, and ends the servers of the run. */
export default class UnfinishedReporter implements Reporter {
  onInit(vitest: Vitest): void {
    // Vitest's own listener exits at once and leaves the servers.
    process.removeAllListeners('SIGINT')
    process.once('SIGINT', () => {
      const modules = vitest.state.getTestModules().filter((module) => ['queued', 'pending'].includes(module.state()))
      for (const { relativeModuleId, children } of modules) {
        const [first] = children.allTests('pending')
        console.log(
          ` FAIL  ${relativeModuleId} had not ended: ${first?.fullName ?? 'no test has started, or all have ended'}`,
        )
      }
      process.exitCode = 1
      void vitest.exit(true)
    })
  }
}
