import { createECDH } from 'node:crypto'
import { expect, test } from 'vitest'
import { requireOwnKey } from '@/lib/lightning/own-key'
import { openDatabase } from '@/lib/platform/db/open-database'
import { describeInProcesses, describeOnPostgres } from '@/test/databases/databases'
import { runScript, type Ran } from '@/test/programs/run-script'

const newKey = (): string => {
  const ecdh = createECDH('secp256k1')
  ecdh.generateKeys()
  return ecdh.getPublicKey('hex', 'compressed')
}

interface Place {
  readonly dataDir: string
  readonly databaseUrl: string | undefined
}
const acceptNode = ({ dataDir, databaseUrl }: Place, key: string): Promise<Ran> =>
  runScript('scripts/audit.ts', { DATA_DIR: dataDir, PORT: '9', ...(databaseUrl && { DATABASE_URL: databaseUrl }) }, [
    '--accept-node',
    key,
  ])

async function startWith(place: Place, key: string): Promise<void> {
  const db = await openDatabase({ ...place, log: () => {} })
  try {
    await requireOwnKey(db, key)
  } finally {
    await db.close()
  }
}

describeInProcesses('npm run audit -- --accept-node', (make) => {
  test('takes the new key of the node, and says when there is nothing to do', async () => {
    const place = await make()
    const [old, key] = [newKey(), newKey()]
    await startWith(place, old)
    await expect(startWith(place, key)).rejects.toThrow(old)
    expect(await acceptNode(place, key)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^The books belong to this node now/),
    })
    expect(await acceptNode(place, key)).toMatchObject({
      code: 0,
      out: 'The books belong to this node already.',
    })
    await startWith(place, key)
    await expect(startWith(place, old)).rejects.toThrow(key)
  })
})

describeOnPostgres('While an instance runs', (server) => {
  test('npm run audit -- --accept-node refuses and names it, and npm run builds lists it', async () => {
    const databaseUrl = await server.createMigratedDatabase()
    const place = { dataDir: '/nonexistent', databaseUrl }
    const builds = (): Promise<Ran> => runScript('scripts/builds.ts', { DATABASE_URL: databaseUrl }, [])
    expect(await builds()).toMatchObject({ code: 1, out: 'No instance runs.' })
    const open = (sessionName: string) => openDatabase({ ...place, log: () => {}, sessionName })
    const one = await open('vasp 0.1.0 1a2b3c4d5e6f 3000 vm-1')
    await one.query({ name: '', text: 'select 1' })
    expect(await builds()).toMatchObject({ code: 0, out: '0.1.0  1a2b3c4d5e6f  port 3000 of vm-1' })
    expect(await acceptNode(place, newKey())).toMatchObject({
      code: 1,
      err: expect.stringContaining('Nothing was changed: stop the instances first (port 3000 of vm-1).'),
    })
    const other = await open('vasp 0.1.0 ffffffffffff-dirty 3001 vm-2')
    await other.query({ name: '', text: 'select 1' })
    const lines = ['0.1.0  1a2b3c4d5e6f  port 3000 of vm-1', '0.1.0  ffffffffffff-dirty  port 3001 of vm-2']
    expect(await builds()).toMatchObject({ code: 1, out: [...lines, '2 builds run.'].join('\n') })
    await one.close()
    await other.close()
  })
})
