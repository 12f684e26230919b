import { hostname } from 'node:os'
import { expect, it, vi } from 'vitest'
import { readSessionName, sessionName } from './session-name'

vi.mock('node:os', () => ({ hostname: vi.fn<() => string>(() => 'vm-1.example') }))

it('a session names the build, the port and the machine of its instance', () => {
  const name = sessionName({ version: '0.1.0', commit: `${'1a2b3c4d5e6f'.repeat(4)}-dirty` }, 3000)
  expect(name).toBe('vasp 0.1.0 1a2b3c4d5e6f-dirty 3000 vm-1.example')
  const instance = { version: '0.1.0', commit: '1a2b3c4d5e6f-dirty', port: 3000, host: 'vm-1.example' }
  expect(readSessionName(name)).toEqual(instance)
})

it('fits into the name of a session, with a long machine name and no commit', () => {
  vi.mocked(hostname).mockReturnValueOnce(`ä ${'x'.repeat(300)}`)
  const name = sessionName({ version: `1.2.3-${'a'.repeat(40)}`, commit: 'unknown' }, 65_535)
  expect(Buffer.byteLength(name)).toBe(63)
  expect(readSessionName(name)).toMatchObject({ commit: 'unknown', port: 65_535 })
})

it.each(['psql', 'vasp', 'vasp 0.1.0', 'vasp backup of the week'])('is none of another program: %s', (name) => {
  expect(readSessionName(name)).toBeUndefined()
})
