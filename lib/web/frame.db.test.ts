import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { newUser } from '@/test/vasp/money'
import { testPasswords } from '@/test/vasp/passwords'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { seedUsers } from '../accounts/seed'
import { endSession, openSession } from '../accounts/sessions/session-store'
import { makeBank } from '../backend/bank'
import { INSPECTOR_CLIENT, REFERENCE_CLIENT } from '../connections/login-grants'
import { createConnection } from '../connections/service'
import { createEventRecorder } from '../events/recorder'
import { readFrame } from './frame'

describeOnBothEngines('The frame of a page', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    vasp = await makeTestVasp(db())
    await seedUsers(db(), 'sandbox', testPasswords)
  })
  const signedIn = async (): Promise<{ username: string; sessionId: string }> => {
    const username = await newUser(vasp, { USD: 100n })
    const sessionId = randomUUID()
    await openSession(db(), sessionId, username)
    return { username, sessionId }
  }

  it('has the user, the newest event that the user sees, and the users of the printed password', async () => {
    const { username, sessionId } = await signedIn()
    const before = await readFrame(vasp.app, sessionId)
    expect(before).toMatchObject({
      user: { username, address: `$${username}@localhost:3000`, sessionId, temporary: false },
      connections: [],
      testUsers: ['Alice', 'Bob', 'Yuki', 'Khalid', 'Penny'].map((displayName) => ({ displayName })),
    })
    const recorder = createEventRecorder({ db: db(), log: vasp.app.log })
    recorder.record({ kind: 'wallet', name: 'wallets reset', userId: 'somebody' })
    recorder.record({ kind: 'wallet', name: 'wallets reset', userId: username })
    await recorder.close()
    const [event] = await db().query({ name: 'newest', text: `select max(id) as id from events where user_id = $1` }, [
      username,
    ])
    expect(await readFrame(vasp.app, sessionId)).toMatchObject({ newestEventId: (event as { id: bigint }).id })
  })

  it('has no events, no requests and no test users where these do not exist', async () => {
    const off = await makeTestVasp(db(), { SANDBOX_TOOLS: 'off', UMA_INVOICES: 'off' })
    const { sessionId } = await signedIn()
    expect(await readFrame(off.app, sessionId)).toMatchObject({
      newestEventId: undefined,
      requests: undefined,
      testUsers: [],
    })
  })

  it('does not exist for an ended session, and shows nothing of a suspended user', async () => {
    const { username, sessionId } = await signedIn()
    await db().prisma.user.update({ where: { id: username }, data: { status: 'suspended' } })
    expect(await readFrame(vasp.app, sessionId)).toBe('suspended')
    await endSession(db(), sessionId)
    expect(await readFrame(vasp.app, sessionId)).toBeNull()
    expect(await readFrame(vasp.app, 'unknown')).toBeNull()
  })

  describe('the notice of new connections', () => {
    const connect = async (username: string, clientId: string | null): Promise<string> => {
      const loginId = idOf(await vasp.loginToken(username))
      await db().prisma.loginGrant.update({ where: { id: loginId }, data: { appClientId: clientId } })
      const id = randomUUID()
      const permissions = ['get_info']
      expect(
        await createConnection(vasp.app, { id, loginId, userId: username, permissions, expiresAtSeconds: undefined }),
      ).toBe('created')
      return id
    }

    it('names an app’s connection, and not one that the user has made in the inspector or the API reference', async () => {
      const { username, sessionId } = await signedIn()
      const ids = [await connect(username, null), await connect(username, 'npub1app')]
      for (const own of [INSPECTOR_CLIENT, REFERENCE_CLIENT]) await connect(username, own)
      const frame = await readFrame(vasp.app, sessionId)
      const shown = typeof frame === 'object' ? frame?.connections : undefined
      expect(shown?.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
      expect(Math.abs(new Date(shown?.[0]?.createdAt ?? 0).getTime() - Date.now())).toBeLessThan(60_000)
    })

    it.each([INSPECTOR_CLIENT, REFERENCE_CLIENT])(
      'names the connection of an app that claims to be the %s',
      async (clientId) => {
        const { username: userId, sessionId } = await signedIn()
        const loginId = randomUUID()
        const expiresAtSeconds = Math.floor(Date.now() / 1_000) + 600
        const { logins } = makeBank(vasp.app)
        const address = `$${userId}@localhost:3000`
        const login = {
          id: loginId,
          userId,
          address,
          expiresAtSeconds,
          sessionId,
          appHost: undefined,
          clientId,
        }
        expect(await logins?.create(login)).toBe('created')
        const connection = { id: randomUUID(), loginId, userId, permissions: ['get_info'], expiresAtSeconds: undefined }
        expect(await createConnection(vasp.app, connection)).toBe('created')
        expect(await readFrame(vasp.app, sessionId)).toMatchObject({ connections: [{ id: connection.id }] })
      },
    )
  })
})
