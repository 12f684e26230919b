import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findBrowser } from '@/scripts/browser'
import { freePort } from '@/test/programs/free-port'
import { outsidePlaywright, saveGuideProject } from '@/test/programs/guide-project'

// A reader follows docs/test-your-app.md in an empty folder: the files, the commands that install, and the commands of the job, in
// their order. The job clones this repository as it is committed.

const MINUTES = 60_000

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-your-app-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const guide = readFileSync('docs/test-your-app.md', 'utf8')
const job = readFileSync('examples/test-your-app/.github/workflows/wallet.yml', 'utf8')
const installs = /^```sh\n(npm init [^`]*)```/m.exec(guide)?.[1] ?? ''
const steps = Array.from(job.matchAll(/\brun: (.+)$/gm), ([, command = '']) => command)

it(
  'the job of the guide runs from an empty folder, and its last step prints the payment',
  { timeout: 20 * MINUTES },
  async () => {
    const [port, gatewayPort] = [await freePort(), await freePort()]
    const env = outsidePlaywright({
      SANDBOX: pathToFileURL(resolve('.')).href,
      // Other demos of this machine may have the usual ports.
      PORT: String(port),
      GATEWAY_PORT: String(gatewayPort),
      RELAY_PORT: String(await freePort()),
      APP_PORT: String(await freePort()),
      SANDBOX_ORIGIN: `http://localhost:${port}`,
      GATEWAY_ORIGIN: `http://localhost:${gatewayPort}`,
    })
    const run = (command: string): string => {
      const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', command], {
        cwd: folder,
        env,
        encoding: 'utf8',
      })
      expect(status, `${command}\n${stdout}${stderr}`).toBe(0)
      return stdout
    }
    run(installs)
    const browser = saveGuideProject(folder, findBrowser(console.log))
    const outputs = steps.map((step) => {
      // The test has a browser.
      if (step.startsWith('npx playwright install')) return ''
      return run(step === 'npx playwright test' ? `${step} ${browser.join(' ')}` : step)
    })
    expect(steps).toHaveLength(5)
    expect(outputs[3]).toContain('2 passed')
    expect(outputs[4]).toContain('POST /payments/bolt11')
  },
)
