import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../../test/programs/free-port'
import { expect, gatewayOrigin, test, vaspOrigin } from '../support/fixtures'
import { sharedStack } from '../support/shared-stack'
import { connectByHand, reachApproval } from '../support/shop'

// The example of docs/connect-an-app.md, unchanged, in an empty folder against the running demo.

interface Example {
  written(): string
  /** The exit code. */
  readonly ended: Promise<number | null>
  stop(): Promise<void>
}

async function startExample(file = 'app.mjs', env: Readonly<Record<string, string>> = {}): Promise<Example> {
  const folder = mkdtempSync(join(tmpdir(), 'example-app-'))
  // Node 20 has a WebSocket behind this flag; newer versions need no flag.
  const flags = typeof globalThis.WebSocket === 'undefined' ? ['--experimental-websocket'] : []
  const child = spawn(process.execPath, [...flags, resolve('examples/connect-an-app', file)], {
    cwd: folder,
    env: {
      ...process.env,
      ADDRESS: `$alice@${new URL(vaspOrigin()).host}`,
      RELAY: sharedStack().relay,
      CALLBACK_PORT: String(await freePort()),
      FORCE_COLOR: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let written = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (written += chunk.toString()))
  const ended = new Promise<number | null>((done) => child.once('close', done))
  return {
    written: () => written,
    ended,
    async stop() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The address that the example prints for its user to open. */
async function linkOf(example: Example): Promise<string> {
  const link = /^http\S+\/oauth\/auth\?\S+$/m
  await expect.poll(() => example.written()).toMatch(link)
  return link.exec(example.written())?.[0] ?? ''
}

test('The documented example connects, pays, refreshes and revokes against the demo', async ({ page }) => {
  const example = await startExample()
  try {
    await page.goto(await linkOf(example))
    await reachApproval(page, { vaspOrigin: vaspOrigin() }, 'Alice')
    await expect(page.getByLabel('Amount in USD')).toHaveValue('5.00')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(page.getByText('Return to the terminal.')).toBeVisible()
    expect(await example.ended, example.written()).toBe(0)
    const written = example.written()
    expect(written).toContain(`Connected to $alice@${new URL(vaspOrigin()).host} with the budget 500.USD/monthly`)
    expect(written.match(/^Balance: [\d.]+ USD$/gm)).toHaveLength(2)
    expect(written).toContain('Paid 100 satoshis from the wallet to itself.')
    expect(written).toMatch(/used_budget: 10,/)
    expect(written).toContain('The old secret is refused: UNAUTHORIZED')
    expect(written).toContain('Revoked: UNAUTHORIZED')
  } finally {
    await example.stop()
  }
})

test('The example without OAuth pays with a connection string that its user copied', async ({ page }) => {
  const example = await startExample('paired.mjs', { CONNECTION: await connectByHand(page, gatewayOrigin(), 'Alice') })
  try {
    expect(await example.ended, example.written()).toBe(0)
    expect(example.written()).toMatch(/^Balance: [\d.]+ USD$/m)
    expect(example.written()).toContain('Paid 100 satoshis from the wallet to itself.')
  } finally {
    await example.stop()
  }
})

test('The documented example ends with access_denied when the user denies the request', async ({ page }) => {
  const example = await startExample()
  try {
    await page.goto(await linkOf(example))
    await reachApproval(page, { vaspOrigin: vaspOrigin() }, 'Alice')
    await page.getByRole('button', { name: 'Deny' }).click()
    await expect(page.getByText('Return to the terminal.')).toBeVisible()
    expect(await example.ended).toBe(1)
    expect(example.written()).toContain('access_denied')
  } finally {
    await example.stop()
  }
})
