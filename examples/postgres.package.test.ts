import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { copyToPack, install, pack, runIn } from '@/test/programs/packed'

it('the PostgreSQL example, copied as the guide says, installs and compiles against the packed package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-example-'))
  try {
    const bank = join(folder, 'bank')
    mkdirSync(bank)
    for (const name of readdirSync('examples/postgres').filter((each) => /\.(?:ts|json|sql)$/.test(each)))
      cpSync(join('examples/postgres', name), join(bank, name))
    pack(copyToPack('uma-auth-vasp', folder), bank)
    install(bank)
    expect(runIn(bank, process.execPath, resolve('node_modules/typescript/bin/tsc'), '-p', '.')).toBe('')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
